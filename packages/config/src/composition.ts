// What composing gives: the config of the job and its `hydra` node, as plain values, as YAML, resolved, and with its history.
import { ConfigError, placeText } from './config-error.js';
import type { DefaultsList, FinalDefault } from './defaults/tree.js';
import { HydraTypeError, convertSetting } from './hydra/schema.js';
import { Resolution } from './interpolation/resolve.js';
import { rootFrame, splitPath, type Frame } from './key-path.js';
import { MapNode, toPlain, type ConfigNode, type PlainObject, type PlainValue } from './node.js';
import type { Override } from './overrides/value.js';
import { origins, type OriginRecord } from './provenance.js';
import type { Repository } from './sources/repository.js';
import { writeYaml } from './yaml/write.js';

/** One entry of the final defaults list. */
export interface DefaultEntry {
  readonly path: string;
  readonly package: string;
  readonly parent: string | null;
  readonly isSelf: boolean;
}

export class Composition {
  /** Nothing but the job's config. */
  readonly root: MapNode;
  readonly defaults: DefaultEntry[];
  readonly choices: Record<string, string | null>;
  readonly warnings: string[] = [];
  private readonly resolverCache = new Map<string, ConfigNode>();

  /** @param full the config with its `hydra` node */
  constructor(
    readonly full: MapNode,
    readonly defaultsList: DefaultsList,
    readonly repository: Repository,
    readonly overrides: readonly Override[],
    private readonly env: Readonly<Record<string, string | undefined>>,
    readonly now: Date,
  ) {
    this.root = new MapNode(full.origin);
    for (const [id, entry] of full.entries) if (entry.key !== 'hydra') this.root.entries.set(id, entry);
    const own = ({ path, parent }: FinalDefault) => !path.startsWith('hydra/') && !parent?.startsWith('hydra/');
    this.defaults = defaultsList.defaults
      .filter(own)
      .map(({ path, package: target, parent, isSelf }) => ({ path, package: target, parent, isSelf }));
    const { choices } = this.hydra.runtime as { choices: Record<string, string | null> };
    this.choices = Object.fromEntries(Object.entries(choices).filter(([key]) => !key.startsWith('hydra/')));
  }

  /** The config as plain values, interpolations as written. */
  get config(): PlainObject {
    return toPlain(this.root) as PlainObject;
  }

  /** The config as `--cfg job` prints it. */
  get yaml(): string {
    return writeYaml(this.root);
  }

  /** The settings under `hydra` as plain values, interpolations as written. */
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
      env: this.env,
      now: this.now,
      cache: this.resolverCache,
      hydra: () => this.frameOfHydra(),
      warn: (message) => this.warnings.push(message),
    });
  }

  private frameOfHydra(): Frame | undefined {
    const node = this.full.get('hydra');
    return node && { node, parent: rootFrame(this.full), key: 'hydra' };
  }

  /** The config with interpolations resolved; `???` stays, but an interpolation to it is an error. */
  resolve(): PlainObject {
    return toPlain(this.resolveNodes()) as PlainObject;
  }

  /** The same as nodes. @param options.keepMissing interpolations to ??? become ??? */
  resolveNodes(options: { keepMissing?: boolean } = {}): MapNode {
    return this.resolution().deep(rootFrame(this.root), options) as MapNode;
  }

  /** One setting, resolved, such as `hydra.run.dir`; undefined where there is none. */
  setting(keyPath: string): PlainValue | undefined {
    const resolution = this.resolution();
    const found = resolution.select(rootFrame(this.full), keyPath);
    if (!found) return undefined;
    const node = resolution.deep(found);
    const path = splitPath(keyPath);
    return toPlain(path[0] === 'hydra' ? this.typed(path.slice(1), { ...found, node }) : node);
  }

  private typed(path: readonly string[], frame: Frame): ConfigNode {
    try {
      return convertSetting(path, frame);
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

  /** Where a value came from, newest first: the file or override that set it, then what that replaced. */
  origin(keyPath: string): OriginRecord[] {
    return origins(rootFrame(this.full), keyPath);
  }
}
