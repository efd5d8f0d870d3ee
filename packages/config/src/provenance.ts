import { child, splitPath, type Frame } from './key-path.js';
import { isContainer, toPlain, type ConfigNode, type ContainerNode, type MapNode, type PlainValue } from './node.js';

export interface OriginRecord {
  /** The file, `command line: OVERRIDE`, or the name of the built-in settings. */
  readonly source: string;
  /** The line in the file, counted from 1. */
  readonly line?: number;
  /** The column in the file, counted from 1. */
  readonly column?: number;
  /** The value that the file or override has set, with interpolations unresolved. */
  readonly value: PlainValue;
}

/** Finds the node at a path; an interpolation on the path is not followed. */
export function nodeAt(root: Frame<MapNode>, keyPath: string): Frame | undefined {
  let at: Frame | undefined = root;
  for (const key of splitPath(keyPath)) {
    if (!at || !isContainer(at.node)) return undefined;
    at = child(at as Frame<ContainerNode>, key);
  }
  return at;
}

/** Newest first; empty if the config has no such key. */
export function origins(root: Frame<MapNode>, keyPath: string): OriginRecord[] {
  const records: OriginRecord[] = [];
  for (let node: ConfigNode | undefined = nodeAt(root, keyPath)?.node; node; node = node.previous) {
    records.push({ ...node.origin, value: toPlain(node) });
  }
  return records;
}
