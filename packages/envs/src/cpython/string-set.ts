// Computes the order in which CPython 3.11 iterates over a set of ASCII strings with PYTHONHASHSEED=0. The original TextCraft
// draws from lists in this order, so that our port needs it to equal recordings of the original. Sources: Objects/setobject.c,
// Python/pyhash.c (SipHash-1-3, key 0).

const MASK = (1n << 64n) - 1n;
const LINEAR_PROBES = 9;

/** Returns the distinct strings in the order in which Python iterates over a set to which they were added one by one. */
export function stringSetOrder(texts: Iterable<string>): string[] {
  let table = new Table(8);
  for (const text of new Set(texts)) {
    table.insert(text);
    if (table.size * 5 >= (table.slots - 1) * 3) table = table.grown();
  }
  return table.texts();
}

class Table {
  readonly #entries: (string | undefined)[];
  size = 0;

  constructor(readonly slots: number) {
    this.#entries = Array.from({ length: slots });
  }

  /** If a string's entry is taken, the next entries are probed linearly, then one that the next bits of the hash select. */
  insert(text: string): void {
    this.size++;
    const mask = BigInt(this.slots - 1);
    let perturb = stringHash(text);
    for (let place = perturb & mask; ;) {
      const first = Number(place);
      const last = first + LINEAR_PROBES <= this.slots - 1 ? first + LINEAR_PROBES : first;
      for (let slot = first; slot <= last; slot++) {
        if (this.#entries[slot] !== undefined) continue;
        this.#entries[slot] = text;
        return;
      }
      perturb >>= 5n;
      place = (place * 5n + 1n + perturb) & mask;
    }
  }

  texts(): string[] {
    return this.#entries.filter((text) => text !== undefined);
  }

  grown(): Table {
    let slots = 8;
    while (slots <= this.size * 4) slots *= 2;
    const table = new Table(slots);
    for (const text of this.texts()) table.insert(text);
    return table;
  }
}

const hashes = new Map<string, bigint>();

function stringHash(text: string): bigint {
  let hash = hashes.get(text);
  if (hash === undefined) hashes.set(text, (hash = sipHash13(Buffer.from(text, 'latin1'))));
  return hash;
}

/** Computes the SipHash-1-3 of the bytes with key 0: one round per word and three at the end (Aumasson and Bernstein 2012). */
function sipHash13(bytes: Buffer): bigint {
  const v: State = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];
  const whole = bytes.length - (bytes.length % 8);
  const last = Buffer.alloc(8);
  bytes.copy(last, 0, whole);
  last[7] = bytes.length & 0xff;
  for (let i = 0; i <= whole; i += 8) {
    const word = i < whole ? bytes.readBigUInt64LE(i) : last.readBigUInt64LE(0);
    v[3] ^= word;
    round(v);
    v[0] ^= word;
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < 3; i++) round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

type State = [bigint, bigint, bigint, bigint];

const rotated = (x: bigint, bits: bigint) => ((x << bits) | (x >> (64n - bits))) & MASK;

function round(v: State): void {
  const half = (a: 0 | 2, b: 1 | 3, bits: bigint) => {
    v[a] = (v[a] + v[b]) & MASK;
    v[b] = rotated(v[b], bits) ^ v[a];
  };
  half(0, 1, 13n);
  v[0] = rotated(v[0], 32n);
  half(2, 3, 16n);
  half(0, 3, 21n);
  half(2, 1, 17n);
  v[2] = rotated(v[2], 32n);
}
