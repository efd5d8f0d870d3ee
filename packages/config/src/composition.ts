// Defines the result of composing: the config of the job and its `hydra` node.
import path from 'node:path';
import { ConfigError, placeText } from './config-error.js';
import type { DefaultsList, FinalDefault } from './defaults/tree.js';
import { optionsOfAnyUnit, pathOfFlatName, type FlatNames, type FlatUse } from './flat-names.js';
import { HydraTypeError, convertSetting } from './hydra/schema.js';
import { Resolution } from './interpolation/resolve.js';
import { rootFrame, splitPath, type Frame } from './key-path.js';
import {
  MapNode,
  ScalarNode,
  copyNode,
  toPlain,
  type ConfigNode,
  type PlainObject,
  type PlainValue,
  type Scalar,
} from './node.js';
import type { Override } from './overrides/value.js';
import { nodeAt, origins, type OriginRecord } from './provenance.js';
import type { Repository } from './sources/repository.js';
import { writeYaml } from './yaml/write.js';

interface CompositionContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly names: FlatNames;
  readonly used: readonly FlatUse[];
}

/** One config of the defaults list from which the config was merged. */
export interface DefaultEntry {
  readonly path: string;
  readonly package: string;
  readonly parent: string | null;
  readonly isSelf: boolean;
}

export class Composition {
  readonly root: MapNode;
  readonly defaults: DefaultEntry[];
  readonly choices: Record<string, string | null>;
  readonly warnings: string[] = [];
  private readonly resolverCache = new Map<string, ConfigNode>();

  /** `full`: the config with its `hydra` node. */
  constructor(
    readonly full: MapNode,
    readonly defaultsList: DefaultsList,
    readonly repository: Repository,
    readonly overrides: readonly Override[],
    private readonly context: CompositionContext,
  ) {
    this.root = new MapNode(full.origin);
    for (const [id, entry] of full.entries) if (entry.key !== 'hydra') this.root.entries.set(id, entry);
    const own = (entry: FinalDefault) => !entry.path.startsWith('hydra/') && !entry.parent?.startsWith('hydra/');
    this.defaults = defaultsList.defaults
      .filter(own)
      .map((entry) => ({ path: entry.path, package: entry.package, parent: entry.parent, isSelf: entry.isSelf }));
    const { choices } = this.hydra.runtime as { choices: Record<string, string | null> };
    this.choices = Object.fromEntries(Object.entries(choices).filter(([key]) => !key.startsWith('hydra/')));
  }

  get now(): Date {
    return this.context.now;
  }

  get flatNames(): FlatNames {
    return this.context.names;
  }

  /** Lists the flat names (short names of options, such as `lm_lr`) that files and overrides used, with the paths of these options. */
  get flatUses(): readonly FlatUse[] {
    return this.context.used;
  }

  /** Returns the path of an option given by its flat name; other keys are returned unchanged. */
  pathOf(keyPath: string): string {
    return pathOfFlatName(this.full, keyPath, this.flatNames) ?? keyPath;
  }

  /** Lists the options that a flat name can stand for, whichever units the nodes' `name` options choose. */
  optionsNamed(name: string): readonly string[] {
    return optionsOfAnyUnit(this.full, name, this.flatNames);
  }

  /** Returns the config as plain values, with interpolations unresolved. */
  get config(): PlainObject {
    return toPlain(this.root) as PlainObject;
  }

  /** Returns the config as `--cfg job` prints it. */
  get yaml(): string {
    return writeYaml(this.root);
  }

  /** Returns the settings under `hydra` as plain values, with interpolations unresolved. */
  get hydra(): PlainObject {
    return toPlain(this.full.get('hydra')!) as PlainObject;
  }

  get hydraYaml(): string {
    const map = new MapNode(this.full.origin);
    map.set('hydra', this.full.get('hydra')!);
    return writeYaml(map);
  }

  resolution(): Resolution {
    return new Resolution({
      env: this.context.env,
      now: this.context.now,
      pathOf: (key) => pathOfFlatName(this.full, key, this.flatNames),
      cache: this.resolverCache,
      hydra: () => this.frameOfHydra(),
      warn: (message) => this.warnings.push(message),
    });
  }

  private frameOfHydra(): Frame | undefined {
    const node = this.full.get('hydra');
    return node && { node, parent: rootFrame(this.full), key: 'hydra' };
  }

  /** Resolves the config's interpolations. `???` is kept, but an interpolation that refers to it is an error. */
  resolve(): PlainObject {
    return toPlain(this.resolveNodes()) as PlainObject;
  }

  /** Like `resolve`, but nodes. `options.keepMissing`: interpolations that refer to ??? become ???. */
  resolveNodes(options: { keepMissing?: boolean } = {}): MapNode {
    return this.resolution().deep(rootFrame(this.root), options) as MapNode;
  }

  /** Returns a resolved setting, such as `hydra.run.dir`; undefined if it does not exist. */
  setting(keyPath: string): PlainValue | undefined {
    const resolution = this.resolution();
    const path = this.pathOf(keyPath);
    const found = resolution.select(rootFrame(this.full), path);
    if (!found) return undefined;
    // A result of `select` that still looks like an interpolation is literal text, and must not be resolved again.
    const node = found.node.kind === 'scalar' ? found.node : resolution.deep(found);
    const keys = splitPath(path);
    return toPlain(keys[0] === 'hydra' ? this.typed(keys.slice(1), { ...found, node }) : node);
  }

  private typed(keys: readonly string[], frame: Frame): ConfigNode {
    try {
      return convertSetting(keys, frame);
    } catch (error) {
      if (!(error instanceof HydraTypeError)) throw error;
      const { source: file, line, column } = error.node.origin;
      throw new ConfigError('interpolation', error.message, [`in ${placeText(error.node.origin)}`], {
        keyPath: error.keyPath,
        file,
        line,
        column,
      });
    }
  }

  /**
   * Returns a copy without some keys, such as 'agent.lr'. Paths that do not exist are ignored. Items of a list cannot be removed.
   */
  without(keyPaths: readonly string[]): Composition {
    const full = copyNode(this.full) as MapNode;
    for (const keyPath of keyPaths) {
      const keys = splitPath(this.pathOf(keyPath));
      const last = keys.pop();
      const parent = nodeAt(rootFrame(full), keys.join('.'))?.node;
      if (last !== undefined && parent?.kind === 'map') parent.delete(last);
    }
    return this.copyOf(full);
  }

  /** Returns a copy with other values by key path, such as 'plugins.0'. Paths that do not exist are ignored. */
  with(values: Readonly<Record<string, Scalar>>): Composition {
    const full = copyNode(this.full) as MapNode;
    for (const [keyPath, value] of Object.entries(values)) {
      const keys = splitPath(this.pathOf(keyPath));
      const last = keys.pop()!;
      const parent = nodeAt(rootFrame(full), keys.join('.'))?.node;
      const old =
        parent?.kind === 'map' ? parent.get(last) : parent?.kind === 'list' ? parent.items[Number(last)] : undefined;
      if (old === undefined) continue;
      const node = new ScalarNode(value, old.origin);
      node.previous = old.previous;
      if (parent?.kind === 'map') parent.set(last, node);
      else if (parent?.kind === 'list') parent.items[Number(last)] = node;
    }
    return this.copyOf(full);
  }

  /**
   * Returns a copy with a node added from another composition, such as the options of a logger that a key turns on.
   *
   * @param keyPath such as 'logger.csv'; its parent must be in this composition
   */
  withNodeOf(other: Composition, keyPath: string): Composition {
    const full = copyNode(this.full) as MapNode;
    const keys = splitPath(keyPath);
    const node = nodeAt(rootFrame(other.full), keyPath)?.node;
    const last = keys.pop()!;
    const parent = nodeAt(rootFrame(full), keys.join('.'))?.node;
    if (parent?.kind !== 'map' || node === undefined) throw new Error(`there is no place or no node for '${keyPath}'`);
    parent.set(last, copyNode(node));
    return this.copyOf(full);
  }

  private copyOf(full: MapNode): Composition {
    const copy = new Composition(full, this.defaultsList, this.repository, this.overrides, this.context);
    copy.warnings.push(...this.warnings);
    return copy;
  }

  /**
   * Returns the absolute path of the file that set a value, to whose folder paths are relative. Undefined for a value from the
   * command line or the built-in settings, and for a key that does not exist.
   */
  fileOf(keyPath: string): string | undefined {
    const source = this.origin(keyPath)[0]?.source;
    return source !== undefined && path.isAbsolute(source) ? source : undefined;
  }

  /** Lists the origins of a value, newest first: the file or override that set it, then those that it replaced. */
  origin(keyPath: string): OriginRecord[] {
    return origins(rootFrame(this.full), this.pathOf(keyPath));
  }
}
