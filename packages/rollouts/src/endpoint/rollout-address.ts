// Finds the rollout of a request, by its path, a header, or its key.
import type { IncomingHttpHeaders } from 'node:http';
import { givenKeys, modelCalls } from '@bowyer/serving';
import type { RolloutKeys } from '../record/record-key.js';

/** The first segments of the paths of model calls, with `/v1` and without it: `v1`, `chat`, `messages` … */
const callPaths: ReadonlySet<string> = new Set(
  modelCalls.flatMap(({ paths }) =>
    paths.flatMap((path) => [path, path.replace(/^\/v1\//, '/')].map((one) => one.split('/')[1])),
  ),
);

/**
 * Returns the rollout in a path. Calls are `/rollouts/ID/v1/…`, which is `/v1/…` of the rollout, or the same without `/v1`; other
 * paths below `/rollouts` are returned unchanged.
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
