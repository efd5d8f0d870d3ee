// Reads YAML into config nodes with the meaning of PyYAML's safe loader and OmegaConf: types of scalars, tags, anchors, merge
// keys, and errors for duplicate keys.
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import {
  Bytes,
  ListNode,
  MapNode,
  ScalarNode,
  copyNode,
  keyId,
  type ConfigNode,
  type Key,
  type Origin,
} from '../node.js';
import { implicitTag, scalarOfTag, type ImplicitTag } from './implicit-type.js';
import { parseYaml, type ParsedYaml } from './parse.js';
import { YamlError } from './yaml-error.js';

/** Aliases are copied when they are read, so a few lines could otherwise create billions of nodes. */
const maximumNodes = 1_000_000;

/** Undefined if the text contains no document. `file`: the file's name, for origins. */
export function readYaml(text: string, file: string): ConfigNode | undefined {
  const parsed = parseYaml(text);
  const contents = parsed.document?.contents;
  return contents ? new Reader(parsed, file).node(contents) : undefined;
}

interface ReadPair {
  readonly key: Key;
  readonly keyOffset: number;
  readonly node: ConfigNode;
}

class Reader {
  private nodeCount = 0;
  private readonly anchors = new Map<string, { node: ConfigNode; size: number }>();

  constructor(
    private readonly parsed: ParsedYaml,
    private readonly file: string,
  ) {}

  private fail(message: string, offset: number, remedy?: string): never {
    const { line, column } = this.parsed.place(offset);
    throw new YamlError(message, line, column, remedy);
  }

  private origin(offset: number): Origin {
    return { source: this.file, ...this.parsed.place(offset) };
  }

  private count(size: number, offset: number): void {
    this.nodeCount += size;
    if (this.nodeCount > maximumNodes)
      this.fail(
        `more than ${maximumNodes.toLocaleString('en-US')} values after its aliases are expanded`,
        offset,
        'write the values out, or use fewer aliases',
      );
  }

  node(given: Node): ConfigNode {
    if (isAlias(given)) return this.alias(given);
    const { anchor } = given as { anchor?: string };
    const before = this.nodeCount;
    if (anchor !== undefined) this.anchors.delete(anchor);
    const node = this.content(given);
    this.count(1, start(given));
    if (anchor !== undefined) this.anchors.set(anchor, { node, size: this.nodeCount - before });
    return node;
  }

  private alias(given: Alias): ConfigNode {
    const target = this.anchors.get(given.source);
    if (!target)
      this.fail(
        `alias '*${given.source}' has no anchor before it`,
        start(given),
        `define it first with '&${given.source}', or quote the value`,
      );
    this.count(target.size, start(given));
    return copyNode(target.node);
  }

  private content(given: Node): ConfigNode {
    if (isScalar(given)) return this.scalar(given as Scalar<string>);
    if (isMap(given)) return this.tagged(this.mapping(given), given);
    if (!isSeq(given)) return this.fail('a value is missing', start(given));
    const list = new ListNode(this.origin(start(given)));
    for (const item of given.items as Node[]) list.items.push(this.value(this.node(item), item));
    return this.tagged(list, given);
  }

  // A mapping or list may have only a tag that fits it, such as `!!map`, `!!seq` or `!!omap`; a `!!set` is not valid.
  private tagged(node: MapNode | ListNode, given: Node): ConfigNode {
    const { tag } = given;
    if (tag === undefined || tag === '!') return node;
    const name = shortTag(tag);
    if ((name === 'map' && node.kind === 'map') || (name === 'seq' && node.kind === 'list')) return node;
    if ((name === 'omap' || name === 'pairs') && node.kind === 'list') return this.pairs(node, given);
    this.fail(`tag '${name}' does not fit a config value`, start(given), 'delete the tag');
  }

  private pairs(list: ListNode, given: Node): ListNode {
    const pairs = new ListNode(list.origin);
    for (const item of list.items) {
      const entry = item.kind === 'map' && item.entries.size === 1 ? [...item.entries.values()][0]! : undefined;
      if (!entry) this.fail(`every item of '!!pairs' and '!!omap' is one 'key: value'`, start(given));
      const pair = new ListNode(item.origin);
      pair.items.push(new ScalarNode(entry.key, entry.keyOrigin), entry.node);
      pairs.items.push(pair);
    }
    return pairs;
  }

  private scalar(given: Scalar<string>): ScalarNode {
    const origin = this.origin(start(given));
    const name = typeOf(given);
    const text = given.value;
    if (name === 'str') return new ScalarNode(text, origin);
    if (name === 'binary') return new ScalarNode(new Bytes(Buffer.from(text, 'base64').toString('base64')), origin);
    if (!['null', 'bool', 'int', 'float', 'merge', 'value'].includes(name))
      this.fail(`unknown tag '${name}'`, start(given), 'delete the tag, or quote the value');
    const value = scalarOfTag(name as ImplicitTag, text);
    if (value === undefined)
      this.fail(`'${text}' is not of type ${name}`, start(given), 'correct the value or delete the tag');
    return new ScalarNode(value, origin);
  }

  /** Reads a value; `<<` and `=` are valid as keys but not as values. */
  private value(node: ConfigNode, given: Node | null): ConfigNode {
    if (given && isScalar(given) && ['merge', 'value'].includes(typeOf(given as Scalar<string>)))
      this.fail(`'${String(given.value)}' has no meaning as a value`, start(given), 'put it in quotes');
    return node;
  }

  private mapping(given: YAMLMap): MapNode {
    const map = new MapNode(this.origin(start(given)));
    const first = new Map<string, number>();
    const pairs: ReadPair[] = [];
    // Keys of merged mappings come first; the mapping's own values take precedence.
    for (const pair of given.items as Pair<Node | null, Node | null>[]) {
      const keyOffset = pair.key ? start(pair.key) : pair.value ? start(pair.value) : start(given);
      if (pair.key && isScalar(pair.key) && typeOf(pair.key as Scalar<string>) === 'merge') {
        this.merge(map, pair.value && this.node(pair.value), keyOffset);
        continue;
      }
      const key = this.key(pair.key, keyOffset);
      const earlier = typeof key === 'string' ? first.get(key) : undefined;
      if (earlier !== undefined)
        this.fail(
          `key '${String(key)}' appears twice in one mapping, first at line ${this.parsed.place(earlier).line}`,
          keyOffset,
          'remove one of them',
        );
      if (typeof key === 'string') first.set(key, keyOffset);
      const node = pair.value ? this.value(this.node(pair.value), pair.value) : this.empty(keyOffset);
      pairs.push({ key, keyOffset, node });
    }
    for (const { key, keyOffset, node } of pairs) {
      const id = keyId(key);
      const known = map.entries.get(id);
      map.entries.set(id, { key: known?.key ?? key, node, keyOrigin: this.origin(keyOffset) });
    }
    return map;
  }

  private empty(offset: number): ScalarNode {
    this.count(1, offset);
    return new ScalarNode(null, this.origin(offset));
  }

  private key(given: Node | null, offset: number): Key {
    const node = given ? this.node(given) : this.empty(offset);
    if (node.kind !== 'scalar') this.fail('a key cannot be a list or a mapping', offset, 'quote the key');
    const key = node.value;
    if (key === null) this.fail('a key cannot be null', offset, `name the key, or quote it: 'null':`);
    if (key instanceof Bytes) this.fail('a key cannot be binary', offset, 'quote the key');
    return key;
  }

  // In `<<: [*a, *b]`, an earlier mapping takes precedence over a later one.
  private merge(map: MapNode, node: ConfigNode | null, offset: number): void {
    const sources = node?.kind === 'list' ? [...node.items].reverse() : [node];
    for (const source of sources) {
      if (source?.kind !== 'map')
        this.fail(`'<<' takes a mapping or a list of mappings`, offset, `give it an alias such as '*name'`);
      for (const { key, node: value, keyOrigin } of source.entries.values()) map.set(key, copyNode(value), keyOrigin);
    }
  }
}

const start = (node: Node): number => node.range?.[0] ?? 0;

const shortTag = (tag: string) => tag.replace(/^tag:yaml\.org,2002:/, '');

/** Returns the tag of a scalar, or the type that a plain scalar looks like. */
function typeOf({ tag, type, value }: Scalar<string>): string {
  if (tag !== undefined && tag !== '!') return shortTag(tag);
  return tag === undefined && type === 'PLAIN' ? implicitTag(value) : 'str';
}
