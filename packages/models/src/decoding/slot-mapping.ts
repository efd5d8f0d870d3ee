// Maps each slot to a row of the KV cache, and to the part of the slot's context (its window) that the row contains. Rows that take part
// in a run must come first (see cache-rows.ts), so that the rows of slots change over time.

/** The cached part of a slot's context. */
interface Window {
  /** The index in the context of the first cached token. */
  start: number;
  /** The number of cached tokens. */
  length: number;
  /** For recurrent layers: the number of cached tokens up to the snapshot of their states. */
  snapshot?: number;
  /** Whether the window was cut to the snapshot, so that the states must be restored before the next token. */
  restores?: boolean;
}

/** Records which row each slot has, and what the row contains. */
export class SlotMapping {
  readonly #slotOfRow: number[];
  readonly #rowOfSlot: number[];
  readonly #windows: Window[];

  /**
   * Gives each slot the row of its own index, with an empty window.
   *
   * @param hasStates whether layers have states, which can only be restored to their snapshot; keys and values can be cut anywhere
   */
  constructor(
    slots: number,
    private readonly hasStates = false,
  ) {
    this.#slotOfRow = Array.from({ length: slots }, (_, i) => i);
    this.#rowOfSlot = [...this.#slotOfRow];
    this.#windows = this.#slotOfRow.map(() => ({ start: 0, length: 0 }));
  }

  /** Cuts a slot's window after the context's first `tokenCount` tokens; with states, at the snapshot, or wholly if the snapshot is later. */
  keepUpTo(slot: number, tokenCount: number): void {
    const window = this.#windows[slot];
    const kept = Math.max(0, Math.min(window.length, tokenCount - window.start));
    if (kept === window.length) return;
    if (!this.hasStates) window.length = kept;
    else if (kept >= window.snapshot!) Object.assign(window, { length: window.snapshot, restores: true });
    else Object.assign(window, { length: 0, restores: false });
  }

  /** Returns whether the slot's states must be restored from their snapshot before its next token. */
  restores(slot: number): boolean {
    return this.#windows[slot].restores === true;
  }

  /** Returns the part of the slot's context that is cached. */
  window(slot: number): Readonly<Window> {
    return this.#windows[slot];
  }

  /**
   * Counts the cached tokens of a window that begins at context index `start`. Positions count from the window's start, so that a cached
   * window with another start is of no use.
   */
  cachedFrom(slot: number, start: number): number {
    return this.#windows[slot].start === start ? this.#windows[slot].length : 0;
  }

  /**
   * Sets the part of the slot's context that is cached.
   *
   * @param snapshot the number of its tokens up to the snapshot of the slot's states
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

  /**
   * Assigns the first rows to the given slots, in any order.
   *
   * @returns the swaps of rows for this
   */
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

  /** Returns the number of cached tokens of each row before the given swaps, [rows]. */
  lengthsBefore(swaps: readonly (readonly [number, number])[]): Int32Array {
    const lengths = Int32Array.from(this.#slotOfRow, (slot) => this.#windows[slot].length);
    for (const [a, b] of [...swaps].reverse()) [lengths[a], lengths[b]] = [lengths[b], lengths[a]];
    return lengths;
  }
}
