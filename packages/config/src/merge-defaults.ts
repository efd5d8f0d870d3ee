// Merges the configs of a defaults list in order. Settings under `hydra` are checked after each config, so that an error names
// the config that caused it.
import { ConfigError, placeText } from './config-error.js';
import type { FinalDefault } from './defaults/tree.js';
import { withoutFlatNames, type FlatNames, type FlatUse } from './flat-names.js';
import { HydraTypeError, checkHydraTypes } from './hydra/schema.js';
import { rootFrame, splitPath, type Frame } from './key-path.js';
import { KindMismatch, mergeInto } from './merge.js';
import { nearest } from './nearest.js';
import { MapNode, isMissing, isNull, type ListNode } from './node.js';
import type { Override } from './overrides/value.js';
import type { Repository } from './sources/repository.js';

interface MergeContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly names: FlatNames;
  /** A list to which the flat names that files use are added. */
  readonly used: FlatUse[];
}

/** Merges all configs of a defaults list into one config, which contains the settings under `hydra`. */
export function mergeDefaults(
  defaults: readonly FinalDefault[],
  repository: Repository,
  { env, names, used }: MergeContext,
): MapNode {
  const full = new MapNode({ source: 'the composed config' });
  const root = rootFrame(full);
  let typed = false;
  for (const { path, package: target, primary } of defaults) {
    const { body, file } = repository.load(path)!;
    const embedded = embed(body, target);
    try {
      if (embedded.kind === 'list') throw new KindMismatch(root, embedded);
      if (!primary && path !== 'hydra/config') refuseSearchPath(embedded, path);
      mergeInto(root, withoutFlatNames(embedded, full, names, used), { env });
      if (path === 'hydra/config') typed = true;
      if (typed && embedded.entries.has('hydra')) checkTypes(root);
    } catch (error) {
      throw mergeError(error, path, file);
    }
  }
  return full;
}

function refuseSearchPath(embedded: MapNode, path: string): void {
  const hydra = embedded.get('hydra');
  const entry = hydra?.kind === 'map' ? hydra.get('searchpath') : undefined;
  if (!entry || isNull(entry) || isMissing(entry)) return;
  const { source: file, line, column } = entry.origin;
  throw new ConfigError(
    'composition',
    `In '${path}': hydra.searchpath can only be set in the primary config`,
    [`in ${placeText(entry.origin)}`, 'move it there, or give it on the command line'],
    { keyPath: 'hydra.searchpath', file, line, column },
  );
}

function mergeError(error: unknown, path: string, file: string | undefined): unknown {
  if (error instanceof KindMismatch) {
    const { target, source } = error;
    const key = target.parent && target.parent.node !== target.node ? ` at '${target.key}'` : '';
    return new ConfigError(
      'composition',
      `In '${path}': cannot merge a ${source.kind === 'map' ? 'dict with a list' : 'list with a dict'}${key}`,
      [
        `${placeText(source.origin)} is merged over ${placeText(target.node.origin)}`,
        'give both the same form, or rename one of the keys',
      ],
      { keyPath: target.key, file, line: source.origin.line, column: source.origin.column },
    );
  }
  if (!(error instanceof HydraTypeError)) return error;
  const { source, line, column } = error.node.origin;
  return new ConfigError(
    'composition',
    `In '${path}': ${error.message}`,
    [`in ${placeText(error.node.origin)}`, ...typeHint(error)],
    { keyPath: error.keyPath, file: source, line, column },
  );
}

function typeHint({ keyPath, known }: HydraTypeError): string[] {
  if (!known) return [];
  const near = nearest(keyPath.slice(keyPath.lastIndexOf('.') + 1), known);
  return [
    near
      ? `did you mean '${keyPath.slice(0, keyPath.lastIndexOf('.') + 1)}${near}'?`
      : `known keys there: ${known.join(', ')}`,
  ];
}

function checkTypes(root: Frame<MapNode>, allowUnknown = false): void {
  const node = root.node.get('hydra');
  if (node?.kind !== 'map') throw new HydraTypeError(`'hydra' must be a dict`, 'hydra', node ?? root.node);
  checkHydraTypes({ node, parent: root, key: 'hydra' }, allowUnknown);
}

/** Checks `hydra` again after an override has changed something under it. */
export function checkAfterOverride(root: Frame<MapNode>, override: Override): void {
  try {
    checkTypes(root, true);
  } catch (error) {
    if (!(error instanceof HydraTypeError)) throw error;
    throw new ConfigError('type', `Error merging override '${override.text}': ${error.message}`, [], {
      keyPath: error.keyPath,
      file: 'command line',
    });
  }
}

/** Puts a config below the keys of its package: with the package `a.b`, below the keys a and b. */
function embed(body: MapNode | ListNode, target: string): MapNode | ListNode {
  let node = body;
  for (const key of splitPath(target).reverse()) {
    const outer = new MapNode(body.origin);
    outer.set(key, node);
    node = outer;
  }
  return node;
}
