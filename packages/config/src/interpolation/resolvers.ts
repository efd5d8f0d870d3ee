// Defines the resolvers for `${name:arguments}`: OmegaConf's (oc.…), Hydra's (now, hydra), and those that users register.
import { ConfigError } from '../config-error.js';
import { leadingDots, type Frame } from '../key-path.js';
import {
  MapNode,
  ListNode,
  ScalarNode,
  fromPlain,
  toPlain,
  type ConfigNode,
  type Origin,
  type PlainValue,
} from '../node.js';
import { nodeStr, pythonTypeName } from '../python-text.js';
import { readYaml } from '../yaml/read.js';
import { strftime } from './strftime.js';

/** The parts of the resolution (resolve.ts) that a resolver may use. */
export interface ResolverContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly hydra: Frame | undefined;
  warn(message: string): void;
  cached(key: string, compute: () => ConfigNode): ConfigNode;
  pathOf(frame: Frame): string;
  select(from: Frame, path: string): Frame | undefined;
  selectFrom(frame: Frame, path: string, requireGiven?: boolean): Frame | undefined;
  decode(text: string, frame: Frame): ConfigNode | Frame;
}

interface ResolverSite {
  /** The value that contains the call, with its enclosing containers. */
  readonly frame: Frame;
  readonly origin: Origin;
  readonly resolution: ResolverContext;
}

/** Computes a new node, or a frame (a node with its position) if the result is a value elsewhere in the config. */
type NodeResolver = (args: readonly ConfigNode[], site: ResolverSite) => ConfigNode | Frame;

/** A resolver that a program registers: a function of plain values that returns a plain value. */
export type Resolver = (...args: PlainValue[]) => PlainValue;

/** Thrown by a resolver that cannot compute a value; the caller adds the position. */
export class ResolverError extends Error {}

const registered = new Map<string, NodeResolver>();

/**
 * Registers a function for `${name:…}`. Its arguments are plain values with interpolations resolved.
 *
 * @param options.cache whether the function is called once for equal arguments in a run, as for random values or times
 * @param options.replace whether it may replace a registered name
 */
export function registerResolver(
  name: string,
  resolver: Resolver,
  options: { cache?: boolean; replace?: boolean } = {},
): void {
  if (!/^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$/.test(name)) {
    throw new ConfigError('interpolation', `'${name}' cannot name a resolver`, [
      'use letters, digits, _ and -, joined by dots',
    ]);
  }
  if (!options.replace && (registered.has(name) || Object.hasOwn(builtIn, name))) {
    throw new ConfigError('interpolation', `A resolver named '${name}' exists already`, [
      'pass { replace: true } to replace it',
    ]);
  }
  registered.set(name, (args, { origin, resolution }) => {
    const call = () => fromPlain(resolver(...args.map(toPlain)), origin);
    return options.cache ? resolution.cached(`${name}:${args.map(nodeStr).join(',')}`, call) : call();
  });
}

/** Removes a registered resolver; returns whether there was one. */
export function clearResolver(name: string): boolean {
  return registered.delete(name);
}

export function findResolver(name: string): NodeResolver | undefined {
  return registered.get(name) ?? (Object.hasOwn(builtIn, name) ? builtIn[name] : undefined);
}

export const resolverNames = (): string[] => [...Object.keys(builtIn), ...registered.keys()];

const builtIn: Record<string, NodeResolver> = {
  now: (args, { resolution, origin }) => {
    const format = args.length === 0 ? '%Y-%m-%d_%H-%M-%S' : text(args, 0, 'the format', 1);
    return new ScalarNode(strftime(resolution.now, format), origin);
  },

  hydra: (args, { resolution, origin }) => {
    const path = text(args, 0, 'the path', 1);
    const hydra = resolution.hydra;
    if (!hydra) throw new ResolverError('there are no hydra settings here');
    return resolution.select(hydra, path) ?? new ScalarNode(null, origin);
  },

  'oc.env': (args, { resolution, origin }) => {
    const name = text(args, 0, `the variable's name`, 2);
    const value = resolution.env[name];
    if (value !== undefined) return new ScalarNode(value, origin);
    const [, fallback] = args;
    if (!fallback)
      throw new ResolverError(
        `environment variable '${name}' is not set; set it, or give a default: \${oc.env:${name},default}`,
      );
    return isNull(fallback) ? fallback : new ScalarNode(nodeStr(fallback), origin);
  },

  'oc.decode': (args, { frame, resolution, origin }) => {
    counted(args, 1, 1);
    const [value] = args as [ConfigNode];
    if (isNull(value)) return value;
    if (value.kind !== 'scalar' || typeof value.value !== 'string')
      throw new ResolverError(`oc.decode takes text, not '${nodeStr(value)}' (${pythonTypeName(value)})`);
    return resolution.decode(value.value, { ...frame, node: new ScalarNode(value.value, origin) });
  },

  'oc.create': (args, { origin }) => {
    counted(args, 1, 1);
    const [value] = args as [ConfigNode];
    if (value.kind !== 'scalar') return value;
    if (value.value === null) return value;
    if (typeof value.value !== 'string')
      throw new ResolverError(`oc.create takes a dict or a list, not '${nodeStr(value)}'`);
    const node = readYaml(value.value, origin.source) ?? new MapNode(origin);
    if (node.kind !== 'scalar') return node;
    const map = new MapNode(origin);
    if (typeof node.value === 'string') map.set(node.value, new ScalarNode(null, origin));
    return map;
  },

  'oc.select': (args, { frame, resolution, origin }) => {
    const found = resolution.selectFrom(frame, text(args, 0, 'the path', 2));
    const missing = found === undefined || (found.node.kind === 'scalar' && found.node.value === '???');
    return missing ? (args[1] ?? new ScalarNode(null, origin)) : found;
  },

  'oc.dict.keys': (args, site) => {
    const { node } = dictOf(args, 'oc.dict.keys', site);
    const list = new ListNode(site.origin);
    for (const { key } of node.entries.values()) list.items.push(new ScalarNode(key, site.origin));
    return list;
  },

  // The items are links instead of copies, so that they refer to values computed later.
  'oc.dict.values': (args, site) => {
    const { node } = dictOf(args, 'oc.dict.values', site);
    const path = text(args, 0, 'the path', 1);
    const list = new ListNode(site.origin);
    const prefix = leadingDots(path) > 0 ? '.' : '';
    for (const { key } of node.entries.values())
      list.items.push(new ScalarNode(`\${${prefix}${path}.${String(key)}}`, site.origin));
    return list;
  },

  'oc.deprecated': (args, { frame, resolution }) => {
    const path = text(args, 0, 'the path', 2);
    const message = args.length > 1 ? text(args, 1, 'the message', 2) : undefined;
    const found = resolution.selectFrom(frame, path);
    const oldKey = resolution.pathOf(frame);
    if (!found) throw new ResolverError(`'${oldKey}' is deprecated in favour of '${path}', which does not exist`);
    const template = message ?? `'$OLD_KEY' is deprecated. Change your code and config to use '$NEW_KEY'`;
    const names: Record<string, string> = { OLD_KEY: oldKey, NEW_KEY: resolution.pathOf(found) };
    resolution.warn(
      template.replace(
        /\$(?:\{(OLD_KEY|NEW_KEY)\}|(OLD_KEY|NEW_KEY)\b)/g,
        (_, braced?: string, bare?: string) => names[(braced ?? bare)!]!,
      ),
    );
    return found;
  },
};

const isNull = (node: ConfigNode) => node.kind === 'scalar' && node.value === null;

function counted(args: readonly ConfigNode[], least: number, most: number): void {
  if (args.length >= least && args.length <= most) return;
  throw new ResolverError(
    `takes ${least === most ? least : `${least} to ${most}`} argument${most === 1 ? '' : 's'}, not ${args.length}`,
  );
}

function text(args: readonly ConfigNode[], index: number, name: string, most: number): string {
  counted(args, 1, most);
  const node = args[index]!;
  if (node.kind !== 'scalar' || typeof node.value !== 'string')
    throw new ResolverError(`${name} must be text, not '${nodeStr(node)}'`);
  return node.value;
}

function dictOf(args: readonly ConfigNode[], name: string, { frame, resolution }: ResolverSite): Frame<MapNode> {
  const path = text(args, 0, 'the path', 1);
  const found = resolution.selectFrom(frame, path, true);
  if (!found) throw new ResolverError(`key '${path}' does not exist`);
  if (found.node.kind !== 'map')
    throw new ResolverError(
      `${name} takes the path of a dict; '${path}' is a ${found.node.kind === 'list' ? 'list' : 'single value'}`,
    );
  return found as Frame<MapNode>;
}
