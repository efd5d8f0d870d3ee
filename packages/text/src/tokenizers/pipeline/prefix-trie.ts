// Stores a vocabulary in a trie over UTF-16 code units, in flat arrays, since 250,000 tokens have about a million nodes. Edges
// are in a hash table with open addressing; node 0 is the root.

const NO_NODE = -1;

export class PrefixTrie {
  #nodes = 1;
  #mask = 0;
  #from = new Int32Array(0);
  #units = new Uint16Array(0);
  #to = new Int32Array(0);
  /** [nodes] the id of the string that ends at the node, or −1. */
  #ids: Int32Array;

  /** Builds the trie; if a string occurs twice, the last id counts. */
  constructor(entries: Iterable<readonly [text: string, id: number]>) {
    this.#resize(1 << 10);
    this.#ids = new Int32Array(1 << 9).fill(-1);
    for (const [text, id] of entries) {
      let node = 0;
      for (let i = 0; i < text.length; i++) node = this.#add(node, text.charCodeAt(i));
      this.#ids[node] = id;
    }
  }

  /** Returns the child of a node that a code unit leads to, or −1. */
  step(node: number, unit: number): number {
    const slot = this.#slot(node, unit);
    return this.#from[slot] < 0 ? NO_NODE : this.#to[slot];
  }

  /** Returns the id of the string that ends at a node, or −1. */
  idAt(node: number): number {
    return this.#ids[node];
  }

  /** Finds the longest string of the trie at a position of the text: its length and id; null if there is none. */
  longestAt(text: string, start: number): { length: number; id: number } | null {
    let node = 0;
    let best: { length: number; id: number } | null = null;
    for (let at = start; at < text.length; at++) {
      node = this.step(node, text.charCodeAt(at));
      if (node < 0) break;
      if (this.#ids[node] >= 0) best = { length: at + 1 - start, id: this.#ids[node] };
    }
    return best;
  }

  #add(node: number, unit: number): number {
    let slot = this.#slot(node, unit);
    if (this.#from[slot] >= 0) return this.#to[slot];
    if (2 * this.#nodes > this.#mask) {
      this.#resize(2 * (this.#mask + 1));
      slot = this.#slot(node, unit);
    }
    const child = this.#nodes++;
    this.#from[slot] = node;
    this.#units[slot] = unit;
    this.#to[slot] = child;
    if (child >= this.#ids.length) {
      const larger = new Int32Array(2 * this.#ids.length).fill(-1);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    return child;
  }

  /** Returns the index of an edge in the hash table, or the free index at which to add it. */
  #slot(node: number, unit: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#from[slot] >= 0 && (this.#from[slot] !== node || this.#units[slot] !== unit))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #resize(slots: number): void {
    const [from, units, to] = [this.#from, this.#units, this.#to];
    this.#mask = slots - 1;
    this.#from = new Int32Array(slots).fill(-1);
    this.#units = new Uint16Array(slots);
    this.#to = new Int32Array(slots);
    for (let i = 0; i < from.length; i++) {
      if (from[i] < 0) continue;
      const slot = this.#slot(from[i], units[i]);
      this.#from[slot] = from[i];
      this.#units[slot] = units[i];
      this.#to[slot] = to[i];
    }
  }
}
