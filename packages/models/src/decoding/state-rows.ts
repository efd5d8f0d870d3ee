// Stores the states of recurrent layers in the worker thread: each row's current state and a snapshot, from which it can be
// restored. Current states come first, so that the graph reads those of the first rows in place.

/** The number of states that are stored per slot: the current one and the snapshot. */
export const STATE_ROWS_PER_SLOT = 2;

/** Holds a recurrent layer's state, and a snapshot of it to go back to, for all batch rows: [state or snapshot, rows, ...shape]. */
interface StateArray {
  name: string;
  shape: readonly number[];
  data: Float32Array;
}

export class StateRows {
  constructor(
    private readonly arrays: readonly StateArray[],
    private readonly rows: number,
  ) {}

  /** Swaps two rows: their current states and their snapshots. */
  swap(a: number, b: number): void {
    for (const { data, size } of this.#sized()) {
      for (const first of [0, this.rows]) {
        const [i, j] = [(first + a) * size, (first + b) * size];
        const kept = data.slice(i, i + size);
        data.copyWithin(i, j, j + size);
        data.set(kept, j);
      }
    }
  }

  /** Copies the current state of row `from` to row `to`. */
  copy({ from, to }: { from: number; to: number }): void {
    for (const { data, size } of this.#sized()) data.copyWithin(to * size, from * size, (from + 1) * size);
  }

  /** Resets a row to the state before any token, which is zeros. */
  clear(row: number): void {
    for (const { data, size } of this.#sized()) data.fill(0, row * size, (row + 1) * size);
  }

  takeSnapshots(rows: number): void {
    for (const { data, size } of this.#sized()) data.copyWithin(this.rows * size, 0, rows * size);
  }

  restore(row: number): void {
    for (const { data, size } of this.#sized()) {
      const from = (this.rows + row) * size;
      data.copyWithin(row * size, from, from + size);
    }
  }

  /**
   * Sets the current states to those after a run. @param counts [rows] each row's new tokens; a row without any keeps its state
   */
  replace(next: (name: string) => Float32Array, counts: Int32Array): void {
    for (const { name, data, size } of this.#sized()) {
      const fresh = next(name);
      if (counts.every((count) => count > 0)) data.set(fresh);
      else
        counts.forEach((count, row) => {
          if (count > 0) data.set(fresh.subarray(row * size, (row + 1) * size), row * size);
        });
    }
  }

  /** Lists names and shapes of the state inputs of a run of the graph over the first `rows` rows. */
  shapes(rows: number): [name: string, dims: number[]][] {
    return this.arrays.map(({ name, shape }) => [name, [rows, ...shape]]);
  }

  #sized() {
    return this.arrays.map((array) => ({ ...array, size: array.data.length / (STATE_ROWS_PER_SLOT * this.rows) }));
  }
}
