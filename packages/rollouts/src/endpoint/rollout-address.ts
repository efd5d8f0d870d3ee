// The rollout of a request, which its path, a header, or its key names.
import type { IncomingHttpHeaders } from 'node:http';
import type { RolloutKeys } from '../record/record-key.js';

/** `/rollouts/ID/v1/…` is `/v1/…` of the rollout; null for other paths. */
export function rolloutPath(path: string): { path: string; rollout: string } | null {
  const found = /^\/rollouts\/([^/]+)(\/(?:v1(?:\/.*)?|messages(?:\/.*)?))$/.exec(path);
  return found && { path: found[2], rollout: decoded(found[1]) };
}

export function namedRollout(headers: IncomingHttpHeaders, keys: RolloutKeys): string | null {
  const [named] = [headers['x-bowyer-rollout']].flat();
  if (named) return named;
  const [, bearer = ''] = /^bearer +(.*)$/i.exec(headers.authorization ?? '') ?? [];
  const [key = ''] = [headers['x-api-key']].flat();
  return keys.rolloutOf(bearer) ?? keys.rolloutOf(key);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
