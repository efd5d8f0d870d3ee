// Defines the tree of a config during composition. Plain JavaScript values cannot distinguish 1 from 1.0, nor the key 1 from '1';
// YAML and Hydra can, so composition works on these nodes.

/** A floating-point number. Integers are `number` (below 2^53) or `bigint` (from 2^53 on). */
export class Float {
  constructor(readonly value: number) {}
}

export class Bytes {
  constructor(readonly base64: string) {}
}

export type Scalar = null | boolean | number | bigint | Float | Bytes | string;

export type Key = string | number | bigint | boolean | Float;

/** The place at which a value was written: a file with 1-based line and column, or the override that set it. */
export interface Origin {
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
}

interface Placed {
  readonly origin: Origin;
  /** The node that this one has replaced. */
  previous?: ConfigNode;
}

export class ScalarNode implements Placed {
  readonly kind = 'scalar';
  previous?: ConfigNode;
  constructor(
    readonly value: Scalar,
    readonly origin: Origin,
  ) {}
}

export interface Entry {
  readonly key: Key;
  node: ConfigNode;
  /** The place at which the key was written, which errors about unknown keys name. */
  readonly keyOrigin: Origin;
}

export class MapNode implements Placed {
  readonly kind = 'map';
  previous?: ConfigNode;
  /** The entries by `keyId`, in insertion order. */
  readonly entries = new Map<string, Entry>();
  constructor(readonly origin: Origin) {}

  get(key: string): ConfigNode | undefined {
    return this.entries.get(keyId(key))?.node;
  }

  /** Sets a value; an existing key keeps its position and its spelling. */
  set(key: Key, node: ConfigNode, keyOrigin: Origin = node.origin): void {
    const id = keyId(key);
    const entry = this.entries.get(id);
    if (entry) entry.node = node;
    else this.entries.set(id, { key, node, keyOrigin });
  }

  delete(key: string): boolean {
    return this.entries.delete(keyId(key));
  }
}

export class ListNode implements Placed {
  readonly kind = 'list';
  previous?: ConfigNode;
  readonly items: ConfigNode[] = [];
  constructor(readonly origin: Origin) {}
}

export type ContainerNode = MapNode | ListNode;
export type ConfigNode = ScalarNode | MapNode | ListNode;

/** Returns a text that is unique for a key. As in Python, 1, 1.0 and true are the same key, and '1' is another. */
export function keyId(key: Key): string {
  if (typeof key === 'string') return key.startsWith('\0') ? `\0s${key}` : key;
  if (typeof key === 'boolean') return key ? '\0n1' : '\0n0';
  return `\0n${key instanceof Float ? key.value : key}`;
}

export const isContainer = (node: ConfigNode | undefined): node is ContainerNode =>
  node !== undefined && node.kind !== 'scalar';

/** Returns whether a value is the mandatory marker `???`, which must still be replaced. */
export const isMissing = (node: ConfigNode): boolean => node.kind === 'scalar' && node.value === '???';

export const isNull = (node: ConfigNode): boolean => node.kind === 'scalar' && node.value === null;

/** Returns whether a value contains an interpolation, that is the text `${`. */
export const isInterpolation = (node: ConfigNode | undefined): node is ScalarNode & { value: string } =>
  node !== undefined && node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('${');

/** Copies a node deeply. The `previous` nodes are shared, since they never change. */
export function copyNode(node: ConfigNode): ConfigNode {
  if (node.kind === 'scalar') {
    const copy = new ScalarNode(node.value, node.origin);
    copy.previous = node.previous;
    return copy;
  }
  if (node.kind === 'list') {
    const copy = new ListNode(node.origin);
    for (const item of node.items) copy.items.push(copyNode(item));
    copy.previous = node.previous;
    return copy;
  }
  const copy = new MapNode(node.origin);
  for (const [id, { key, node: child, keyOrigin }] of node.entries) {
    copy.entries.set(id, { key, node: copyNode(child), keyOrigin });
  }
  copy.previous = node.previous;
  return copy;
}

/** Plain values of a config, for code that reads it. Integers from 2^53 on are bigint; binary scalars are bytes. */
export type PlainValue = null | boolean | number | bigint | string | Uint8Array | PlainValue[] | PlainObject;
export interface PlainObject {
  [key: string]: PlainValue;
}

/** Converts nodes to plain values. Keys that are numbers or booleans become texts as in JSON, such as `true`. */
export function toPlain(node: ConfigNode): PlainValue {
  if (node.kind === 'scalar') return plainScalar(node.value);
  if (node.kind === 'list') return node.items.map(toPlain);
  const object: PlainObject = {};
  for (const { key, node: child } of node.entries.values()) setPlain(object, keyText(key), toPlain(child));
  return object;
}

export function plainScalar(value: Scalar): null | boolean | number | bigint | string | Uint8Array {
  if (value instanceof Float) return value.value;
  if (value instanceof Bytes) return Buffer.from(value.base64, 'base64');
  return value;
}

/** Sets a key; a plain assignment would lose the key `__proto__`. */
function setPlain(object: PlainObject, key: string, value: PlainValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Writes a key as text; keys that are not texts are written as in JSON. */
export function keyText(key: Key): string {
  if (key instanceof Float) return Number.isInteger(key.value) ? `${key.value}.0` : String(key.value);
  return String(key);
}

/** Makes nodes from plain values; numbers without a fraction become integers. */
export function fromPlain(value: PlainValue, origin: Origin): ConfigNode {
  if (Array.isArray(value)) {
    const list = new ListNode(origin);
    for (const item of value) list.items.push(fromPlain(item, origin));
    return list;
  }
  if (value instanceof Uint8Array) return new ScalarNode(new Bytes(Buffer.from(value).toString('base64')), origin);
  if (value !== null && typeof value === 'object') {
    const map = new MapNode(origin);
    for (const [key, child] of Object.entries(value)) map.set(key, fromPlain(child, origin));
    return map;
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return new ScalarNode(new Float(value), origin);
  return new ScalarNode(value, origin);
}
