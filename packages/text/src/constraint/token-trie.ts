// Arranges all tokens in a trie by their bytes, so that tokens with a common prefix are examined together.
import type { Steps } from '../steps.js';

/** A trie in flat arrays, with the nodes in depth-first order; node 0 is the root, without bytes. */
export class TokenTrie {
  /** [nodes] the last byte of the node's byte sequence. */
  readonly byte: Uint8Array;
  /** [nodes] the length of the node's byte sequence. */
  readonly depth: Uint16Array;
  /** [nodes] the index after the node's last descendant. */
  readonly end: Int32Array;
  /** [nodes] a token with these bytes; −1 if there is none. */
  readonly token: Int32Array;
  /** [vocabulary] another token with the same bytes; −1 if there is none. */
  readonly further: Int32Array;
  /** The number of bytes of the longest token. */
  readonly longest: number;

  private constructor(
    /** [vocabulary] the bytes of each token. */
    readonly bytes: readonly Uint8Array[],
    { nodes, further, longest }: TrieBuilder,
  ) {
    this.byte = nodes.byte;
    this.depth = nodes.depth;
    this.end = nodes.end;
    this.token = nodes.token;
    this.further = further;
    this.longest = longest;
  }

  /**
   * Builds a trie in steps, between which a server can serve other requests.
   *
   * @param bytes [vocabulary]; tokens without bytes are left out
   */
  static *inSteps(bytes: readonly Uint8Array[]): Steps<TokenTrie> {
    const builder = new TrieBuilder(bytes);
    for (const ids of yield* sortedInSteps(bytes)) {
      for (const id of ids) builder.add(id);
      yield;
    }
    builder.finish();
    return new TokenTrie(bytes, builder);
  }

  /** [256] the nodes of single bytes; −1 if there is none. */
  #first: Int32Array | null = null;

  /** Returns the child of `node` whose last byte is `byte`; −1 if there is none. */
  child(node: number, byte: number): number {
    if (node === 0) return (this.#first ??= this.#firstNodes())[byte];
    for (let child = node + 1; child < this.end[node]; child = this.end[child])
      if (this.byte[child] === byte) return child;
    return -1;
  }

  #firstNodes(): Int32Array {
    const first = new Int32Array(256).fill(-1);
    for (let child = 1; child < this.end[0]; child = this.end[child]) first[this.byte[child]] = child;
    return first;
  }

  *tokensAt(node: number): Generator<number> {
    for (let id = this.token[node]; id >= 0; id = this.further[id]) yield id;
  }
}

/** The number of tokens that are added to the trie in one step. */
const AT_ONCE = 1024;

/** Builds the arrays of a trie; tokens must be added in the order of their bytes. */
class TrieBuilder {
  readonly nodes: Pick<TokenTrie, 'byte' | 'depth' | 'token' | 'end'>;
  readonly further: Int32Array;
  longest = 0;
  #count = 1;
  /** The path of nodes from the root to the node that was added last. */
  readonly #open = [0];
  #before: Uint8Array = new Uint8Array(0);

  constructor(private readonly bytes: readonly Uint8Array[]) {
    const most = bytes.reduce((sum, { length }) => sum + length, 1);
    const [byte, depth] = [new Uint8Array(most), new Uint16Array(most)];
    this.nodes = { byte, depth, token: new Int32Array(most).fill(-1), end: new Int32Array(most) };
    this.further = new Int32Array(bytes.length).fill(-1);
  }

  add(id: number): void {
    const own = this.bytes[id];
    const shared = commonLength(this.#before, own);
    if (shared === own.length) this.#addFurther(this.nodes.token[this.#count - 1], id);
    else this.#addNodes(shared, own, id);
    this.#before = own;
  }

  finish(): void {
    const { byte, depth, token, end } = this.nodes;
    for (const node of this.#open) end[node] = this.#count;
    const own = <T extends Uint8Array | Uint16Array | Int32Array>(all: T) => all.slice(0, this.#count) as T;
    Object.assign(this.nodes, { byte: own(byte), depth: own(depth), token: own(token), end: own(end) });
  }

  #addFurther(first: number, id: number): void {
    let last = first;
    while (this.further[last] >= 0) last = this.further[last];
    this.further[last] = id;
  }

  /** Adds the nodes of a token to the trie. `shared`: the number of bytes in common with the previous token. */
  #addNodes(shared: number, bytes: Uint8Array, id: number): void {
    const { byte, depth, token, end } = this.nodes;
    while (this.#open.length > shared + 1) end[this.#open.pop()!] = this.#count;
    for (let i = shared; i < bytes.length; i++) {
      this.#open.push(this.#count);
      byte[this.#count] = bytes[i];
      depth[this.#count] = i + 1;
      this.#count++;
    }
    token[this.#count - 1] = id;
    this.longest = Math.max(this.longest, bytes.length);
  }
}

/** Sorts all tokens with bytes by their bytes, in groups that are each added in one step. */
function* sortedInSteps(bytes: readonly Uint8Array[]): Steps<number[][]> {
  // Tokens with the same first two bytes are sorted together.
  const groups = new Map<number, number[]>();
  for (const [id, own] of bytes.entries()) {
    const beginning = own.length === 1 ? own[0] << 9 : (own[0] << 9) + 1 + own[1];
    const group = groups.get(beginning);
    if (group) group.push(id);
    else if (own.length > 0) groups.set(beginning, [id]);
    if (id % AT_ONCE === AT_ONCE - 1) yield;
  }
  const sorted: number[][] = [[]];
  for (const beginning of Int32Array.from(groups.keys()).sort()) {
    const group = groups.get(beginning)!;
    group.sort((a, b) => Buffer.compare(bytes[a], bytes[b]) || a - b);
    for (const id of group) sorted.at(-1)!.push(id);
    if (sorted.at(-1)!.length < AT_ONCE) continue;
    sorted.push([]);
    yield;
  }
  return sorted;
}

function commonLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
