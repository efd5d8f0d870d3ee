// Which row of the key-value cache belongs to which slot, and which part of the slot's context that row contains. Rows that
// are read must come first (see cache-rows.ts), so slots change their rows over time.

interface Window {
  /** Index in the context of the first cached token. */
  start: number;
  /** Cached tokens from there on. */
  length: number;
}

export class SlotMapping {
  readonly #slotOfRow: number[];
  readonly #rowOfSlot: number[];
  readonly #windows: Window[];

  constructor(slots: number) {
    this.#slotOfRow = Array.from({ length: slots }, (_, i) => i);
    this.#rowOfSlot = [...this.#slotOfRow];
    this.#windows = this.#slotOfRow.map(() => ({ start: 0, length: 0 }));
  }

  /** The context now ends after `tokenCount` tokens. */
  keepUpTo(slot: number, tokenCount: number): void {
    const { start, length } = this.#windows[slot];
    this.#windows[slot].length = Math.max(0, Math.min(length, tokenCount - start));
  }

  /** How many tokens from context index `start` on are cached; positions count from there, so another start has none. */
  cachedFrom(slot: number, start: number): number {
    return this.#windows[slot].start === start ? this.#windows[slot].length : 0;
  }

  setWindow(slot: number, start: number, length: number): void {
    this.#windows[slot] = { start, length };
  }

  swap(a: number, b: number): void {
    const [x, y] = [this.#slotOfRow[a], this.#slotOfRow[b]];
    [this.#slotOfRow[a], this.#slotOfRow[b]] = [y, x];
    [this.#rowOfSlot[x], this.#rowOfSlot[y]] = [b, a];
  }

  row(slot: number): number {
    return this.#rowOfSlot[slot];
  }

  /** Puts the given slots into the first rows, in any order; returns the exchanges of rows that this takes. */
  bringToFront(slots: readonly number[]): [number, number][] {
    const chosen = new Set(slots);
    const outside = slots.filter((slot) => this.#rowOfSlot[slot] >= slots.length);
    const swaps: [number, number][] = [];
    for (let row = 0; row < slots.length; row++) {
      if (chosen.has(this.#slotOfRow[row])) continue;
      const from = this.#rowOfSlot[outside.pop()!];
      swaps.push([row, from]);
      this.swap(row, from);
    }
    return swaps;
  }

  /** [rows] cached tokens of each row as they lay before the given exchanges were made. */
  lengthsBefore(swaps: readonly (readonly [number, number])[]): Int32Array {
    const lengths = Int32Array.from(this.#slotOfRow, (slot) => this.#windows[slot].length);
    for (const [a, b] of [...swaps].reverse()) [lengths[a], lengths[b]] = [lengths[b], lengths[a]];
    return lengths;
  }
}
