// Gives the token loop access to a KV cache on the host.
import type { KernelProgram, KernelView } from '@bowyer/graph';
import type { CacheRows } from './cache-rows.js';
import { CAPACITY_STEP, longRowsFirst, type CapacityClass } from './capacity-classes.js';
import {
  CLASS_ROWS,
  inClass,
  nextStateName,
  SHARED_BEGINS,
  SHARED_LENGTHS,
  sharedName,
  stateName,
} from './decode-names.js';
import type { KernelInputs, LoopCache } from './loop-cache.js';
import type { PrefixCopy } from './shared-prefixes.js';
import type { StateRows } from './state-rows.js';

/** A KV cache in the worker thread's arrays, which graphs read in place; new keys and values are copied in after each run. */
export class HostCache implements LoopCache {
  constructor(
    private readonly rows: CacheRows,
    private readonly names: readonly string[],
    private readonly states: StateRows | undefined,
  ) {}

  get capacities(): Int32Array {
    return this.rows.capacities;
  }

  get lengths(): Int32Array {
    return this.rows.lengths.map((length, row) => length + this.rows.sharedLength(row));
  }

  swap(a: number, b: number): void {
    this.rows.swap(a, b);
    this.states?.swap(a, b);
  }

  copy(copies: readonly PrefixCopy[]): void {
    this.rows.copy(copies);
    for (const copy of copies) this.states?.copy(copy);
  }

  settle(): void {
    this.rows.settle();
  }

  longRowsFirst(needed: readonly number[]): [number, number][] {
    const { mostClasses: most, positionBytes } = this.rows;
    const own = needed.map((positions, row) => positions - this.rows.sharedLength(row));
    return longRowsFirst(own, { most, positionBytes });
  }

  get takeSnapshots() {
    return this.states && ((rows: number) => this.states!.takeSnapshots(rows));
  }

  async run(program: KernelProgram, inputs: KernelInputs, width: number, counts: Int32Array) {
    this.rows.fit(Array.from(counts, (_, row) => this.rows.lengths[row]));
    // With recurrent layers, the graph with the input `last` also reads `counts`, the number of real tokens of each row.
    const real: KernelInputs =
      this.states && 'last' in inputs ? { counts: { dims: [counts.length], data: counts } } : {};
    const cache = this.#cacheOf(counts.length);
    const outputs = await program.run({ inputs: { ...inputs, ...cache.inputs, ...real }, views: cache.views });
    this.states?.replace((name) => outputs[nextStateName(name)].data as Float32Array, counts);
    this.rows.fit(Array.from(counts, (count, row) => this.rows.lengths[row] + count));
    this.rows.append(outputs.fresh.data as Float32Array, width, counts);
    return outputs;
  }

  /** Returns the inputs and views of arrays through which the graph reads the first `rows` rows. */
  #cacheOf(rows: number): { inputs: KernelInputs; views: Record<string, KernelView> } {
    const classes = this.rows.classes(rows);
    while (classes.length < this.rows.mostClasses) classes.push({ rows: 0, capacity: CAPACITY_STEP });
    const sizes = BigInt64Array.from(classes, (own) => BigInt(own.rows));
    const inputs: Record<string, KernelInputs[string]> =
      classes.length > 1 ? { [CLASS_ROWS]: { dims: [sizes.length], data: sizes } } : {};
    const states = this.states?.shapes(rows) ?? [];
    const views = Object.fromEntries(
      states.map(([name, shape]): [string, KernelView] => [stateName(name), ['cache', stateName(name), shape]]),
    );
    let first = 0;
    classes.forEach((own, index) => {
      inputs[inClass('cache_mask', index)] = this.#cacheMask(first, own);
      Object.assign(views, this.#views(first, own, index));
      first += own.rows;
    });
    if (this.rows.shared) {
      const ofRows = (of: (row: number) => number) => ({
        dims: [rows],
        data: Int32Array.from({ length: rows }, (_, row) => of(row)),
      });
      inputs[SHARED_BEGINS] = ofRows((row) => this.rows.sharedBegin(row));
      inputs[SHARED_LENGTHS] = ofRows((row) => this.rows.sharedLength(row));
      Object.assign(views, this.#sharedViews());
    }
    return { inputs, views };
  }

  /** Views of the shared prefixes; without any, of some masked positions, since the graph needs these inputs. */
  #sharedViews(): Record<string, KernelView> {
    const { heads, headSize } = this.rows.geometry;
    const dims = [1, heads, Math.max(this.rows.sharedSize, CAPACITY_STEP), headSize];
    return Object.fromEntries(
      this.names.map((name) => [sharedName(name), ['cache', name, dims, this.rows.sharedStart]]),
    );
  }

  /** [rows, 1, 1, capacity]: 0 for positions in use, and a very negative number after them. */
  #cacheMask(first: number, { rows, capacity }: CapacityClass) {
    const mask = new Float32Array(rows * capacity).fill(-1e9);
    for (let row = 0; row < rows; row++) mask.fill(0, row * capacity, row * capacity + this.rows.lengths[first + row]);
    return { dims: [rows, 1, 1, capacity], data: mask };
  }

  #views(first: number, { rows, capacity }: CapacityClass, index: number): Record<string, KernelView> {
    const { heads, headSize } = this.rows.geometry;
    const dims = [rows, heads, capacity, headSize];
    const start = rows === 0 ? 0 : this.rows.start(first);
    return Object.fromEntries(this.names.map((name) => [inClass(name, index), ['cache', name, dims, start]]));
  }
}
