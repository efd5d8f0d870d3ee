// Which row of the key-value cache belongs to which slot, and which part of the slot's context that row contains. Rows that
// are read must come first (see cache-rows.ts), so slots change their rows over time.

interface Window {
  /** Index in the context of the first cached token. */
  start: number;
  /** Cached tokens from there on. */
  length: number;
  /** States of recurrent layers: how many of the tokens their snapshot has seen. */
  snapshot?: number;
  /** Whether the window was cut to the snapshot, so that the states must go back to it before the next token. */
  restores?: boolean;
}

export class SlotMapping {
  readonly #slotOfRow: number[];
  readonly #rowOfSlot: number[];
  readonly #windows: Window[];

  /**
   * Gives each slot the row of its own number, with an empty window.
   *
   * @param hasStates whether layers have states, which can only go back to their snapshot; keys and values can be cut anywhere
   */
  constructor(
    slots: number,
    private readonly hasStates = false,
  ) {
    this.#slotOfRow = Array.from({ length: slots }, (_, i) => i);
    this.#rowOfSlot = [...this.#slotOfRow];
    this.#windows = this.#slotOfRow.map(() => ({ start: 0, length: 0 }));
  }

  /** Cuts a slot's context after `tokenCount` tokens; the window may become shorter than that. */
  keepUpTo(slot: number, tokenCount: number): void {
    const window = this.#windows[slot];
    const kept = Math.max(0, Math.min(window.length, tokenCount - window.start));
    if (kept === window.length) return;
    if (!this.hasStates) window.length = kept;
    else if (kept >= window.snapshot!) Object.assign(window, { length: window.snapshot, restores: true });
    else Object.assign(window, { length: 0, restores: false });
  }

  /** Returns whether the slot's states must go back to their snapshot before its next token. */
  restores(slot: number): boolean {
    return this.#windows[slot].restores === true;
  }

  /** Returns the part of the slot's context that is cached. */
  window(slot: number): Readonly<Window> {
    return this.#windows[slot];
  }

  /** Counts how many tokens from context index `start` on are cached; positions count from there, so another start has none. */
  cachedFrom(slot: number, start: number): number {
    return this.#windows[slot].start === start ? this.#windows[slot].length : 0;
  }

  /**
   * Sets which part of the slot's context is cached.
   *
   * @param snapshot how many of the tokens the snapshot of the slot's states has seen
   */
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

  /** Returns the cached tokens of each row as they lay before the given exchanges were made, [rows]. */
  lengthsBefore(swaps: readonly (readonly [number, number])[]): Int32Array {
    const lengths = Int32Array.from(this.#slotOfRow, (slot) => this.#windows[slot].length);
    for (const [a, b] of [...swaps].reverse()) [lengths[a], lengths[b]] = [lengths[b], lengths[a]];
    return lengths;
  }
}
