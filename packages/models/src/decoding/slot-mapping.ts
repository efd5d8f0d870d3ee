// Maps each slot (the context of an episode) to a row of the KV cache, and to the section of the context (the window) that is
// cached there. Rows of a run must come first (see cache-rows.ts), so that slots change rows over time.

interface Window {
  /** The index in the context of the first cached token. */
  start: number;
  /** The number of cached tokens. */
  length: number;
  /** With recurrent layers: the number of cached tokens that the states' snapshot includes. */
  snapshot?: number;
  /** Whether the window was cut at the snapshot, so that the states must be restored from it before the next token is read. */
  restores?: boolean;
}

export class SlotMapping {
  readonly #slotOfRow: number[];
  readonly #rowOfSlot: number[];
  readonly #windows: Window[];

  /**
   * Gives each slot the row with its index, and an empty window.
   *
   * @param hasStates whether there are recurrent states, which unlike keys and values can only be restored to their snapshot
   */
  constructor(
    slots: number,
    private readonly hasStates = false,
  ) {
    this.#slotOfRow = Array.from({ length: slots }, (_, i) => i);
    this.#rowOfSlot = [...this.#slotOfRow];
    this.#windows = this.#slotOfRow.map(() => ({ start: 0, length: 0 }));
  }

  /**
   * Cuts a slot's window so that it contains only tokens among the context's first `tokenCount`. With recurrent states, it is cut
   * at the snapshot, or emptied if the snapshot is later.
   */
  keepUpTo(slot: number, tokenCount: number): void {
    const window = this.#windows[slot];
    const kept = Math.max(0, Math.min(window.length, tokenCount - window.start));
    if (kept === window.length) return;
    if (!this.hasStates) window.length = kept;
    else if (kept >= window.snapshot!) Object.assign(window, { length: window.snapshot, restores: true });
    else Object.assign(window, { length: 0, restores: false });
  }

  /** Returns whether the slot's recurrent states must be restored from their snapshot before its next token is read. */
  restores(slot: number): boolean {
    return this.#windows[slot].restores === true;
  }

  window(slot: number): Readonly<Window> {
    return this.#windows[slot];
  }

  /**
   * Counts the cached tokens of a slot's context from index `start` on; 0 if the cached window begins at another index. Position
   * encodings count from the window's first token, so that keys of a window with another beginning cannot be used.
   */
  cachedFrom(slot: number, start: number): number {
    return this.#windows[slot].start === start ? this.#windows[slot].length : 0;
  }

  /** Sets the cached section. @param snapshot how many of its tokens the snapshot of the slot's recurrent states includes */
  setWindow(slot: number, start: number, length: number, snapshot = 0): void {
    this.#windows[slot] = { start, length, snapshot };
  }

  swap(a: number, b: number): void {
    const [x, y] = [this.#slotOfRow[a], this.#slotOfRow[b]];
    [this.#slotOfRow[a], this.#slotOfRow[b]] = [y, x];
    [this.#rowOfSlot[x], this.#rowOfSlot[y]] = [b, a];
  }

  row(slot: number): number {
    return this.#rowOfSlot[slot];
  }

  /** Assigns the first rows to the given slots, in any order. @returns the swaps of rows that do so */
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

  /** Returns the number of cached tokens that each row had before the given swaps, [rows]. */
  lengthsBefore(swaps: readonly (readonly [number, number])[]): Int32Array {
    const lengths = Int32Array.from(this.#slotOfRow, (slot) => this.#windows[slot].length);
    for (const [a, b] of [...swaps].reverse()) [lengths[a], lengths[b]] = [lengths[b], lengths[a]];
    return lengths;
  }
}
