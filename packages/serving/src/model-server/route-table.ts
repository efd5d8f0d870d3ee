// Finds the route for an HTTP request, by method and path, among the routes of all API protocols.
import type { Protocol, Route } from '../protocols/protocol.js';

interface Found {
  protocol: Protocol;
  route: Route;
  parameters: Record<string, string>;
}

export class RouteTable {
  constructor(private readonly protocols: readonly Protocol[]) {}

  /**
   * The path may end with a slash, and lack the leading `/v1`: a client whose base URL lacks it asks for `/chat/completions`.
   *
   * @returns null for a path that no protocol has
   */
  find(method: string, path: string): Found | null {
    const parts = withoutVersion(path.replace(/\/$/, '')).split('/');
    for (const protocol of this.protocols)
      for (const route of protocol.routes) {
        const parameters = route.method === method ? matched(withoutVersion(route.path).split('/'), parts) : null;
        if (parameters !== null) return { protocol, route, parameters };
      }
    return null;
  }
}

const withoutVersion = (path: string): string => path.replace(/^\/v1(?=\/)/, '');

/** Matches a route such as `/v1/responses/{id}`. @returns the values of the names in braces; null if the path does not match */
function matched(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const parameters: Record<string, string> = {};
  for (const [i, part] of pattern.entries())
    if (part.startsWith('{')) parameters[part.slice(1, -1)] = decoded(parts[i]);
    else if (part !== parts[i]) return null;
  return parameters;
}

/** Decodes the percent-encoding of one segment of a path; a segment with an invalid encoding is returned unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
