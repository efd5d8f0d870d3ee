// For rewritten graphs: a node keeps the scope of the one it stands for, since profiles and error messages show it.
import type { GraphBuilder } from './builder.js';
import type { GraphNode } from './value.js';

/** What `build` makes has the scope of `node`. */
export function inScopeOf<T>(g: GraphBuilder, { name }: GraphNode, build: () => T): T {
  const scope = name.split('/').slice(0, -1).join('/');
  return scope === '' ? build() : g.scope(scope, build);
}
