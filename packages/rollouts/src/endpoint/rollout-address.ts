// Finds the rollout to which a request belongs, by the request's path, a header, or its API key.
import type { IncomingHttpHeaders } from 'node:http';
import { givenKeys, modelCalls } from '@bowyer/serving';
import type { RolloutKeys } from '../record/record-key.js';

/** The first segments of the paths of model calls, with and without the version: `v1`, `chat`, `messages` … */
const callPaths: ReadonlySet<string> = new Set(
  modelCalls.flatMap(({ paths }) =>
    paths.flatMap((path) => [path, path.replace(/^\/v1\//, '/')].map((one) => one.split('/')[1])),
  ),
);

/**
 * Returns the rollout in a request's path, and the path of the route. `/rollouts/ID/v1/…` is the model call `/v1/…` of that
 * rollout, and so is the same path without `/v1`; other paths below `/rollouts` are returned unchanged.
 *
 * @returns null for a path outside of `/rollouts`
 */
export function rolloutPath(path: string): { path: string; rollout: string | null } | null {
  const [, first, id, ...rest] = path.split('/');
  if (first !== 'rollouts') return null;
  const isCall = id !== '' && callPaths.has(rest[0]);
  return { path: isCall ? `/${rest.join('/')}` : path, rollout: id ? decoded(id) : null };
}

export function namedRollout(headers: IncomingHttpHeaders, keys: RolloutKeys): string | null {
  const [named] = [headers['x-bowyer-rollout']].flat();
  if (named) return named;
  for (const key of givenKeys(headers)) {
    const rollout = keys.rolloutOf(key);
    if (rollout !== null) return rollout;
  }
  return null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
