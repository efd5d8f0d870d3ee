// Defines a typed array to which elements can be appended. Its blocks of fixed size are not copied when it grows.

type Numbers = Uint8Array | Uint16Array | Uint32Array;

const BLOCK_BITS = 20;
const BLOCK = 2 ** BLOCK_BITS;

export class GrowingArray<T extends Numbers> {
  readonly #blocks: T[] = [];
  #length = 0;

  constructor(private readonly kind: new (length: number) => T) {}

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const block = this.#length >>> BLOCK_BITS;
    if (block === this.#blocks.length) this.#blocks.push(new this.kind(BLOCK));
    this.#blocks[block][this.#length++ & (BLOCK - 1)] = value;
  }

  at(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS][index & (BLOCK - 1)];
  }

  set(index: number, value: number): void {
    this.#blocks[index >>> BLOCK_BITS][index & (BLOCK - 1)] = value;
  }

  toArray(): T {
    const whole = new this.kind(this.#length);
    this.#blocks.forEach((block, i) => whole.set(block.subarray(0, this.#length - i * BLOCK), i * BLOCK));
    return whole;
  }
}
