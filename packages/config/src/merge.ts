// Merging one config into another, as OmegaConf does: dict into dict goes key by key, everything else replaces.
import { ConfigError, placeText } from './config-error.js';
import { Resolution } from './interpolation/resolve.js';
import { rootOf, type Frame } from './key-path.js';
import { copyNode, isContainer, isInterpolation, isMissing, type ConfigNode, type Key, type MapNode } from './node.js';

interface MergeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Allows or refuses a key that the target lacks: throws where new keys are not allowed. */
  readonly onNewKey?: (target: Frame<MapNode>, key: Key, node: ConfigNode) => void;
}

/**
 * Merges `source` into the mapping at `target`. Keys of the target keep their place, new ones go to the end; lists replace whole; `???`
 * over a value leaves the value; a dict over an interpolation that leads to a dict merges into a copy of that dict.
 */
export function mergeInto(target: Frame<MapNode>, source: MapNode, options: MergeOptions): void {
  for (const [id, { key, node, keyOrigin }] of source.entries) {
    const entry = target.node.entries.get(id);
    if (!entry) {
      options.onNewKey?.(target, key, node);
      target.node.entries.set(id, { key, node: copyNode(node), keyOrigin });
      continue;
    }
    const frame: Frame = { node: entry.node, parent: target, key: String(key) };
    if (isInterpolation(entry.node)) entry.node = expanded(frame, options) ?? entry.node;
    entry.node = merged({ ...frame, node: entry.node }, node, options);
  }
}

/** Copies the container that an interpolation leads to; undefined where it leads to none (yet). */
function expanded(frame: Frame, { env }: MergeOptions): ConfigNode | undefined {
  try {
    const { node } = new Resolution({ env, now: new Date(0) }).follow(frame);
    return isContainer(node) ? replace(frame.node, copyNode(node)) : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function merged(target: Frame, source: ConfigNode, options: MergeOptions): ConfigNode {
  const { node } = target;
  if (node.kind === 'map' && source.kind === 'map') {
    mergeInto(target as Frame<MapNode>, source, options);
    return node;
  }
  if (isContainer(node) && isContainer(source) && node.kind !== source.kind) throw kindMismatch(target, source);
  return isMissing(source) ? node : replace(node, copyNode(source));
}

/** Puts a new value in the place of an old one, which it remembers. */
export function replace(old: ConfigNode, fresh: ConfigNode): ConfigNode {
  fresh.previous = old;
  return fresh;
}

/** The error for a dict over a list, or the reverse. It has no key path, which only the caller knows whole. */
export class KindMismatch extends Error {
  constructor(
    readonly target: Frame,
    readonly source: ConfigNode,
  ) {
    const [was, is] = source.kind === 'map' ? ['list', 'dict'] : ['dict', 'list'];
    super(`a ${is} cannot be merged with a ${was} (${placeText(source.origin)} over ${placeText(target.node.origin)})`);
  }
}

function kindMismatch(target: Frame, source: ConfigNode): KindMismatch {
  return new KindMismatch({ ...target, parent: target.parent ?? (rootOf(target) as Frame<MapNode>) }, source);
}
