// Merges configs as OmegaConf does: dicts are merged key by key, all other values are replaced.
import { ConfigError, placeText } from './config-error.js';
import { Resolution } from './interpolation/resolve.js';
import { rootOf, type Frame } from './key-path.js';
import { copyNode, isContainer, isInterpolation, isMissing, type ConfigNode, type Key, type MapNode } from './node.js';

interface MergeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called for a key that the target does not have; throws if new keys are not allowed. */
  readonly onNewKey?: (target: Frame<MapNode>, key: Key, node: ConfigNode) => void;
}

/**
 * Merges `source` into the mapping at `target`. Existing keys keep their position; lists are replaced; `???` does not replace a
 * value; a dict merged over an interpolation that refers to a dict is merged into a copy of that dict.
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

/** Undefined if an interpolation does not refer to a container, or cannot be resolved yet. */
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

/** Records the old value in the node that replaces it, so that the value's origins can be listed. */
export function replace(old: ConfigNode, fresh: ConfigNode): ConfigNode {
  fresh.previous = old;
  return fresh;
}

/** Thrown if a dict is merged into a list, or the reverse. It has no key path, since only the caller knows it. */
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
