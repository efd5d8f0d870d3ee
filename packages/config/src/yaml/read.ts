// YAML text to config nodes: tokens to a tree by recursive descent, with anchors, aliases, merge keys, tags and duplicate keys.
// Source: YAML 1.1 grammar as PyYAML's safe loader accepts it, with OmegaConf's changes (duplicate keys are errors).
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
import { scan, type Token, type TokenType } from './scanner.js';
import { YamlError } from './yaml-error.js';

/** Aliases are copied when read, so a file of a few lines could ask for billions of nodes; no honest config has this many. */
const maximumNodes = 1_000_000;
const maximumDepth = 500;

/** The one document of a YAML text; undefined where the text holds none. @param source the file's name, kept as origin */
export function readYaml(text: string, source: string): ConfigNode | undefined {
  return new Reader(scan(text), source).document();
}

/** Marks `key: value` pairs that a `<<` brought in. */
interface Pair {
  key: Key;
  keyToken: Token;
  node: ConfigNode;
}

class Reader {
  private position = 0;
  private depth = 0;
  private nodeCount = 0;
  private readonly anchors = new Map<string, { node: ConfigNode; size: number }>();
  private readonly tagHandles = new Map([['!!', 'tag:yaml.org,2002:']]);

  constructor(
    private readonly tokens: Token[],
    private readonly source: string,
  ) {}

  document(): ConfigNode | undefined {
    if (this.at('stream-end')) return undefined;
    this.directives();
    const node = this.at('document-end', 'stream-end') ? this.empty(this.current) : this.node(true);
    while (this.at('document-end')) this.position++;
    if (this.at('document-start')) this.fail(`a second document begins here`, 'keep one document in a file');
    if (!this.at('stream-end'))
      this.fail(`unexpected ${describe(this.current)}`, 'check the indentation of this line and the one above');
    return node;
  }

  private directives(): void {
    let seen = false;
    for (; this.at('directive'); this.position++) {
      seen = true;
      const [name, handle, prefix] = this.current.text.split(/\s+/);
      if (name !== 'TAG') continue;
      if (!handle || !prefix) this.fail('a %TAG directive needs a handle and a prefix');
      this.tagHandles.set(handle, prefix);
    }
    if (this.at('document-start')) this.position++;
    else if (seen) this.fail(`'---' must follow a directive`, `add a line '---'`);
  }

  private get current(): Token {
    return this.tokens[this.position]!;
  }

  private at(...types: TokenType[]): boolean {
    return types.includes(this.current.type);
  }

  private fail(message: string, remedy?: string, { line, column }: Token = this.current): never {
    throw new YamlError(message, line, column, remedy);
  }

  private origin({ line, column }: Token): Origin {
    return { source: this.source, line, column };
  }

  private empty(token: Token): ScalarNode {
    return new ScalarNode(null, this.origin(token));
  }

  private count(size: number): void {
    this.nodeCount += size;
    if (this.nodeCount > maximumNodes)
      this.fail(
        `more than ${maximumNodes.toLocaleString('en-US')} values after its aliases are expanded`,
        'write the values out, or use fewer aliases',
      );
  }

  private node(block: boolean, indentlessSequence = false): ConfigNode {
    if (this.at('alias')) return this.alias();
    const start = this.current;
    let anchor: Token | undefined;
    let tag: Token | undefined;
    while ((this.at('anchor') && !anchor) || (this.at('tag') && !tag)) {
      if (this.at('anchor')) anchor = this.current;
      else tag = this.current;
      this.position++;
    }
    if (++this.depth > maximumDepth) this.fail(`more than ${maximumDepth} levels of nesting`);
    const before = this.nodeCount;
    if (anchor) this.anchors.delete(anchor.text);
    const node = this.content(block, indentlessSequence, start, tag);
    this.depth--;
    this.count(1);
    if (anchor) this.anchors.set(anchor.text, { node, size: this.nodeCount - before });
    return node;
  }

  private alias(): ConfigNode {
    const target = this.anchors.get(this.current.text);
    if (!target)
      this.fail(
        `alias '*${this.current.text}' has no anchor before it`,
        `define it first with '&${this.current.text}', or quote the value`,
      );
    this.position++;
    this.count(target.size);
    return copyNode(target.node);
  }

  private content(block: boolean, indentlessSequence: boolean, start: Token, tag: Token | undefined): ConfigNode {
    const type = tag && this.fullTag(tag);
    if (indentlessSequence && this.at('block-entry')) return this.tagged(this.blockSequence(true), type, start);
    if (this.at('scalar')) return this.scalar(type, start);
    if (this.at('flow-sequence-start')) return this.tagged(this.flowSequence(), type, start);
    if (this.at('flow-mapping-start')) return this.tagged(this.flowMapping(), type, start);
    if (block && this.at('block-sequence-start')) return this.tagged(this.blockSequence(false), type, start);
    if (block && this.at('block-mapping-start')) return this.tagged(this.blockMapping(), type, start);
    if (start !== this.current)
      return type === undefined || type === '!' ? this.empty(start) : this.typedScalar('', type, start);
    this.fail(
      `unexpected ${describe(this.current)} where a value should be`,
      'close brackets and quotes opened above, or quote the value',
    );
  }

  private fullTag({ text }: Token): string {
    if (text.startsWith('!<')) return text.slice(2, -1);
    const [, handle, suffix] = /^(![\w-]*!|!)(.*)$/s.exec(text)!;
    return (this.tagHandles.get(handle!) ?? handle!) + suffix;
  }

  // Collections carry no tags but their own; a set or an ordered map is no config value.
  private tagged(node: ConfigNode, type: string | undefined, start: Token): ConfigNode {
    if (type === undefined || type === '!') return node;
    const name = type.replace(/^tag:yaml\.org,2002:/, '');
    if ((name === 'map' && node.kind === 'map') || (name === 'seq' && node.kind === 'list')) return node;
    if ((name === 'omap' || name === 'pairs') && node.kind === 'list') return this.pairs(node, start);
    this.fail(`tag '${name}' does not fit a config value`, 'drop the tag', start);
  }

  private pairs(list: ListNode, start: Token): ListNode {
    const pairs = new ListNode(list.origin);
    for (const item of list.items) {
      const entry = item.kind === 'map' && item.entries.size === 1 ? [...item.entries.values()][0]! : undefined;
      if (!entry) this.fail(`every item of '!!pairs' and '!!omap' is one 'key: value'`, undefined, start);
      const pair = new ListNode(item.origin);
      pair.items.push(new ScalarNode(entry.key, entry.keyOrigin), entry.node);
      pairs.items.push(pair);
    }
    return pairs;
  }

  private scalar(type: string | undefined, start: Token): ScalarNode {
    const token = this.current;
    this.position++;
    if (type !== undefined && type !== '!') return this.typedScalar(token.text, type, start);
    const tag = type === undefined && token.plain ? implicitTag(token.text) : 'str';
    if (tag === 'str') return new ScalarNode(token.text, this.origin(token));
    return this.typedScalar(token.text, tag, token);
  }

  private typedScalar(text: string, type: string, token: Token): ScalarNode {
    const origin = this.origin(token);
    const name = type.replace(/^tag:yaml\.org,2002:/, '');
    if (name === 'str') return new ScalarNode(text, origin);
    if (name === 'binary') return new ScalarNode(new Bytes(Buffer.from(text, 'base64').toString('base64')), origin);
    if (!['null', 'bool', 'int', 'float', 'merge', 'value'].includes(name))
      this.fail(`unknown tag '${name}'`, 'drop the tag, or quote the value', token);
    const value = scalarOfTag(name as ImplicitTag, text);
    if (value === undefined) this.fail(`'${text}' is no ${name}`, 'correct the value or drop the tag', token);
    const node = new ScalarNode(value, origin);
    if (name === 'merge' || name === 'value') this.special.set(node, token);
    return node;
  }

  /** Scalars `<<` and `=`: fine as keys, without a meaning as values. */
  private readonly special = new Map<ConfigNode, Token>();

  private value(node: ConfigNode): ConfigNode {
    const token = this.special.get(node);
    if (token) this.fail(`'${token.text}' has no meaning as a value`, 'put it in quotes', token);
    return node;
  }

  private blockSequence(indentless: boolean): ListNode {
    const list = new ListNode(this.origin(this.current));
    if (!indentless) this.position++;
    while (this.at('block-entry')) {
      const entry = this.current;
      this.position++;
      const ends: TokenType[] = indentless
        ? ['block-entry', 'key', 'value', 'block-end']
        : ['block-entry', 'block-end'];
      list.items.push(this.at(...ends) ? this.empty(entry) : this.value(this.node(true)));
    }
    if (indentless) return list;
    if (!this.at('block-end'))
      this.fail(`unexpected ${describe(this.current)} in a list`, `begin the line with '- ', or check its indentation`);
    this.position++;
    return list;
  }

  private blockMapping(): MapNode {
    const start = this.current;
    const pairs: Pair[] = [];
    this.position++;
    while (this.at('key')) {
      const keyToken = this.current;
      this.position++;
      const keyNode = this.at('key', 'value', 'block-end') ? this.empty(keyToken) : this.node(true, true);
      let node: ConfigNode = this.empty(keyToken);
      if (this.at('value')) {
        const valueToken = this.current;
        this.position++;
        node = this.at('key', 'value', 'block-end') ? this.empty(valueToken) : this.node(true, true);
      }
      this.addPair(pairs, keyNode, keyToken, node);
    }
    if (!this.at('block-end'))
      this.fail(
        `unexpected ${describe(this.current)} in a mapping`,
        'check the indentation of this line and the ones above',
      );
    this.position++;
    return this.mapping(pairs, start);
  }

  private flowSequence(): ListNode {
    const start = this.current;
    const list = new ListNode(this.origin(start));
    this.position++;
    while (!this.at('flow-sequence-end')) {
      if (this.at('key')) list.items.push(this.flowPair());
      else list.items.push(this.value(this.node(false)));
      if (this.at('flow-entry')) this.position++;
      else if (!this.at('flow-sequence-end'))
        this.fail(
          `unexpected ${describe(this.current)} in the list opened at line ${start.line}`,
          `separate items with ',' and close the list with ']'`,
        );
    }
    this.position++;
    return list;
  }

  // `[a: 1]` is a list of one mapping.
  private flowPair(): MapNode {
    const start = this.current;
    const pairs: Pair[] = [];
    this.flowEntry(pairs, 'flow-sequence-end');
    return this.mapping(pairs, start);
  }

  private flowMapping(): MapNode {
    const start = this.current;
    const pairs: Pair[] = [];
    this.position++;
    while (!this.at('flow-mapping-end')) {
      if (this.at('key')) this.flowEntry(pairs, 'flow-mapping-end');
      else {
        const keyToken = this.current;
        this.addPair(pairs, this.node(false), keyToken, this.empty(keyToken));
      }
      if (this.at('flow-entry')) this.position++;
      else if (!this.at('flow-mapping-end'))
        this.fail(
          `unexpected ${describe(this.current)} in the mapping opened at line ${start.line}`,
          `separate entries with ',' and close the mapping with '}'`,
        );
    }
    this.position++;
    return this.mapping(pairs, start);
  }

  private flowEntry(pairs: Pair[], end: TokenType): void {
    const keyToken = this.current;
    this.position++;
    const keyNode = this.at('value', 'flow-entry', end) ? this.empty(keyToken) : this.node(false);
    let node: ConfigNode = this.empty(keyToken);
    if (this.at('value')) {
      this.position++;
      if (!this.at('flow-entry', end)) node = this.node(false);
    }
    this.addPair(pairs, keyNode, keyToken, node);
  }

  // Pairs are kept in a list until the mapping is whole, for merged-in keys come first.
  private addPair(pairs: Pair[], keyNode: ConfigNode, keyToken: Token, node: ConfigNode): void {
    const special = this.special.get(keyNode);
    if (special?.text === '<<' && keyNode.kind === 'scalar') {
      this.special.set(node, special);
      pairs.push({ key: '<<', keyToken: special, node });
      return;
    }
    if (keyNode.kind !== 'scalar') this.fail('a key cannot be a list or a mapping', 'quote the key', keyToken);
    const key = keyNode.value;
    if (key === null) this.fail('a key cannot be null', `name the key, or quote it: 'null':`, keyToken);
    if (key instanceof Bytes) this.fail('a key cannot be binary', 'quote the key', keyToken);
    pairs.push({ key, keyToken, node: this.value(node) });
  }

  private mapping(pairs: Pair[], start: Token): MapNode {
    const map = new MapNode(this.origin(start));
    const first = new Map<string, Token>();
    const merged: [Key, ConfigNode, Origin][] = [];
    for (const { key, keyToken, node } of pairs) {
      if (key === '<<' && this.special.get(node) === keyToken) {
        merged.push(...this.mergedEntries(node, keyToken));
        continue;
      }
      const earlier = typeof key === 'string' ? first.get(key) : undefined;
      if (earlier)
        this.fail(
          `key '${String(key)}' stands twice in one mapping, first at line ${earlier.line}`,
          'remove one of them',
          keyToken,
        );
      if (typeof key === 'string') first.set(key, keyToken);
    }
    for (const [key, node, origin] of merged) map.set(key, copyNode(node), origin);
    for (const { key, keyToken, node } of pairs) {
      if (key === '<<' && this.special.get(node) === keyToken) continue;
      const id = keyId(key);
      const keyOrigin = this.origin(keyToken);
      const known = map.entries.get(id);
      map.entries.set(id, { key: known?.key ?? key, node, keyOrigin });
    }
    return map;
  }

  // `<<: [*a, *b]`: what stands earlier in the list wins, and is written over what stands later.
  private mergedEntries(node: ConfigNode, token: Token): [Key, ConfigNode, Origin][] {
    const maps = node.kind === 'list' ? [...node.items].reverse() : [node];
    return maps.flatMap((map) => {
      if (map.kind !== 'map')
        this.fail(`'<<' takes a mapping or a list of mappings`, `give it an alias such as '*name'`, token);
      return [...map.entries.values()].map((entry): [Key, ConfigNode, Origin] => [
        entry.key,
        entry.node,
        entry.keyOrigin,
      ]);
    });
  }
}

function describe({ type, text }: Token): string {
  const signs: Partial<Record<TokenType, string>> = {
    'flow-sequence-start': `'['`,
    'flow-sequence-end': `']'`,
    'flow-mapping-start': `'{'`,
    'flow-mapping-end': `'}'`,
    'block-entry': `'-'`,
    'flow-entry': `','`,
    key: 'key',
    value: `':'`,
    'document-start': `'---'`,
    'document-end': `'...'`,
    'stream-end': 'end of the file',
    'block-end': 'end of the block',
  };
  return signs[type] ?? (text === '' ? type : `'${text.length > 30 ? `${text.slice(0, 30)}…` : text}'`);
}
