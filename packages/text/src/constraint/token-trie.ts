// All tokens of a vocabulary by their bytes, as one tree: tokens that begin alike are looked at together.

/** Nodes in the order of a walk that goes to a node's children before its siblings; node 0 is the root, of no bytes. */
export class TokenTrie {
  /** [nodes] the last byte. */
  readonly byte: Uint8Array;
  /** [nodes] how many bytes. */
  readonly depth: Uint16Array;
  /** [nodes] the node after the last one below. */
  readonly end: Int32Array;
  /** [nodes] a token of these bytes; −1 where there is none. */
  readonly token: Int32Array;
  /** [vocabulary] a further token of the same bytes; −1 where there is none. */
  readonly further: Int32Array;
  /** Length of the longest token. */
  readonly longest: number;

  /** @param bytes [vocabulary] of each token; tokens of no bytes are left out */
  constructor(readonly bytes: readonly Uint8Array[]) {
    this.further = new Int32Array(bytes.length).fill(-1);
    // The order of such texts is that of their bytes.
    const texts = bytes.map((own) => Buffer.from(own).toString('latin1'));
    const sorted = [...texts.keys()]
      .filter((id) => texts[id] !== '')
      .sort((a, b) => compare(texts[a], texts[b]) || a - b);
    const nodes = { byte: [0], depth: [0], token: [-1], end: [0] };
    this.longest = sorted.reduce((longest, id) => Math.max(longest, texts[id].length), 0);
    const open = [0];
    let before = '';
    for (const id of sorted) {
      const text = texts[id];
      if (text === before) this.#addFurther(nodes.token.at(-1)!, id);
      else this.#addNodes(nodes, open, commonLength(before, text), bytes[id], id);
      before = text;
    }
    for (const node of open) nodes.end[node] = nodes.byte.length;
    this.byte = Uint8Array.from(nodes.byte);
    this.depth = Uint16Array.from(nodes.depth);
    this.end = Int32Array.from(nodes.end);
    this.token = Int32Array.from(nodes.token);
  }

  /** The node below `node` whose last byte is `byte`; −1 where there is none. */
  child(node: number, byte: number): number {
    for (let child = node + 1; child < this.end[node]; child = this.end[child])
      if (this.byte[child] === byte) return child;
    return -1;
  }

  /** All tokens of a node. */
  *tokensAt(node: number): Generator<number> {
    for (let id = this.token[node]; id >= 0; id = this.further[id]) yield id;
  }

  #addFurther(first: number, id: number): void {
    let last = first;
    while (this.further[last] >= 0) last = this.further[last];
    this.further[last] = id;
  }

  /** @param open the nodes from the root to the last one */
  #addNodes(
    nodes: Record<'byte' | 'depth' | 'token' | 'end', number[]>,
    open: number[],
    shared: number,
    bytes: Uint8Array,
    id: number,
  ): void {
    while (open.length > shared + 1) nodes.end[open.pop()!] = nodes.byte.length;
    for (let i = shared; i < bytes.length; i++) {
      open.push(nodes.byte.length);
      nodes.byte.push(bytes[i]);
      nodes.depth.push(i + 1);
      nodes.token.push(i === bytes.length - 1 ? id : -1);
      nodes.end.push(0);
    }
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
