// Splits and writes paths into a config: `agent.lr`, `layers.1`, `t[a]`, `.sibling`.
import type { ConfigNode, ContainerNode, MapNode } from './node.js';

/** A node with its enclosing containers, which relative paths and error messages need. */
export interface Frame<Node extends ConfigNode = ConfigNode> {
  readonly node: Node;
  readonly parent?: Frame<ContainerNode>;
  readonly key?: string;
}

export const rootFrame = (node: MapNode): Frame<MapNode> => ({ node });

export function rootOf(frame: Frame): Frame {
  let top = frame;
  while (top.parent) top = top.parent;
  return top;
}

/** Returns the dotted path from the root, with list indices in brackets: `layers[1].size`. */
export function framePath(frame: Frame): string {
  const parts: string[] = [];
  for (let at: Frame | undefined = frame; at?.parent; at = at.parent) {
    parts.unshift(at.parent.node.kind === 'list' ? `[${at.key}]` : at.parent.parent ? `.${at.key}` : at.key!);
  }
  return parts.join('').replace(/^\./, '');
}

/** Splits a path into a config into its keys: `a.b[c].d` becomes a, b, c, d. */
export function splitPath(path: string): string[] {
  if (path === '') return [];
  return path
    .replace(/\[([^\]]*)\]/g, '.$1')
    .replace(/^\./, '')
    .split('.');
}

/** Counts the leading dots, which are the number of containers that a path goes up before it starts; 0 means from the root. */
export function leadingDots(path: string): number {
  return /^\.*/.exec(path)![0].length;
}

/** Returns the child with a key or index; undefined if there is none. Only keys that are texts can be reached. */
export function child(frame: Frame<ContainerNode>, key: string): Frame | undefined {
  const { node } = frame;
  if (node.kind === 'map') {
    const found = node.get(key);
    return found && { node: found, parent: frame, key };
  }
  if (!/^[-+]?\d+$/.test(key)) return undefined;
  const index = Number(key);
  const item = index < 0 ? undefined : node.items[index];
  return item && { node: item, parent: frame, key: String(index) };
}

export const isIndex = (key: string) => /^[-+]?\d+$/.test(key);
