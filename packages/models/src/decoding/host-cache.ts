// The key-value cache on the host, as the token loop uses it.
import type { KernelProgram } from '@bowyer/graph';
import { type CacheRows, largest } from './cache-rows.js';
import { nextStateName, stateName } from './decode-names.js';
import type { KernelInputs, LoopCache } from './loop-cache.js';
import type { PrefixCopy } from './shared-prefixes.js';
import type { StateRows } from './state-rows.js';

/** A cache in this thread's arrays: graphs read it in place, and what is new is copied into it after each run. */
export class HostCache implements LoopCache {
  #mask = new Float32Array(0);

  constructor(
    private readonly rows: CacheRows,
    private readonly names: readonly string[],
    private readonly states: StateRows | undefined,
    /** Tokens after the prompt to make room for with it. */
    private readonly ahead: number,
  ) {}

  get capacity(): number {
    return this.rows.capacity;
  }

  get lengths(): Int32Array {
    return this.rows.lengths;
  }

  swap(a: number, b: number): void {
    this.rows.swap(a, b);
    this.states?.swap(a, b);
  }

  copy(copy: PrefixCopy): void {
    this.rows.copy(copy);
    this.states?.copy(copy);
  }

  get takeSnapshots() {
    return this.states && ((rows: number) => this.states!.takeSnapshots(rows));
  }

  async run(program: KernelProgram, inputs: KernelInputs, width: number, counts: Int32Array) {
    const mask = this.#cacheMask(counts.length);
    // The graph for any number of tokens asks for each row's last one, and for how many there are.
    const real: KernelInputs =
      this.states && 'last' in inputs ? { counts: { dims: [counts.length], data: counts } } : {};
    const outputs = await program.run({ inputs: { ...inputs, ...mask, ...real }, views: this.#views(counts.length) });
    this.states?.replace((name) => outputs[nextStateName(name)].data as Float32Array, counts);
    const longest = largest(counts.map((count, row) => this.lengths[row] + count));
    const most = this.rows.geometry.largestCapacity;
    this.rows.fit(width > 1 ? Math.max(longest, Math.min(longest + this.ahead, most)) : longest);
    this.rows.append(outputs.fresh.data as Float32Array, width, counts);
    return outputs;
  }

  /** [rows, 1, 1, capacity] 0 over valid positions, far below any score after them. */
  #cacheMask(rows: number) {
    const { capacity, lengths } = this;
    if (this.#mask.length !== rows * capacity) this.#mask = new Float32Array(rows * capacity);
    for (let row = 0; row < rows; row++) {
      this.#mask.fill(0, row * capacity, row * capacity + lengths[row]);
      this.#mask.fill(-1e9, row * capacity + lengths[row], (row + 1) * capacity);
    }
    return { cache_mask: { dims: [rows, 1, 1, capacity], data: this.#mask } };
  }

  #views(rows: number) {
    const { heads, headSize, capacity } = this.rows.geometry;
    const dims = [rows, heads, capacity, headSize];
    const states = this.states?.shapes(rows) ?? [];
    return Object.fromEntries([
      ...this.names.map((name) => [name, ['cache', name, dims] as const] as const),
      ...states.map(([name, shape]) => [stateName(name), ['cache', stateName(name), shape] as const] as const),
    ]);
  }
}
