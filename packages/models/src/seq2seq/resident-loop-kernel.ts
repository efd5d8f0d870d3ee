// Runs the token loop for keys and values on a GPU: the encoding graph stores those of the source there, and each step writes those of the
// targets, so that only ids, the source's mask and probabilities are transferred.
import type { HostKernel, KernelProgram } from '@bowyer/graph';
import {
  decodeWith,
  FIRST_CAPACITY,
  type DecodedTarget,
  type DecodeLoopArgs,
  type LoopInputs,
  type LoopOutputs,
  type TargetCache,
} from './decode-loop.js';

/** The programs that compute, and those that move rows of the targets' and the sources' tensors. */
type Role = 'encode' | 'step' | 'arrangeTargets' | 'arrangeSources';
type Programs = Readonly<Record<Role, KernelProgram>>;

export const decodeTargetsResident: HostKernel<
  'targets' | 'sources',
  DecodeLoopArgs,
  Promise<DecodedTarget[]>,
  Role
> = async ({ states, programs, args }) => {
  const { rows, sourceTokens } = args;
  const dims = [rows, sourceTokens];
  await programs.encode.run({
    inputs: { source_ids: { dims, data: args.sourceIds }, source_mask: { dims, data: args.sourceMask } },
  });
  const names = { targets: Object.keys(states.targets), sources: Object.keys(states.sources) };
  return decodeWith(new ResidentTargets(programs, names, args), args);
};

/** Holds the targets' keys and values, each tensor [rows, heads, capacity or source tokens, headSize], at the beginning of its buffer. */
class ResidentTargets implements TargetCache {
  #capacity = FIRST_CAPACITY;
  #rows: number;
  #mask: Float32Array;

  constructor(
    private readonly programs: Programs,
    private readonly names: Readonly<Record<'targets' | 'sources', readonly string[]>>,
    private readonly args: DecodeLoopArgs,
  ) {
    this.#rows = args.rows;
    this.#mask = args.sourceMask;
  }

  async step(inputs: LoopInputs, rows: number, position: number): Promise<LoopOutputs> {
    const all = Array.from({ length: rows }, (_, row) => row);
    if (position >= this.#capacity) {
      await this.#arrangeTargets(all, 2 * this.#capacity);
      this.#capacity *= 2;
    }
    const { heads, sourceTokens } = this.args;
    const places = all.flatMap((row) => Array.from({ length: heads }, (_, head) => [row, head, position])).flat();
    return this.programs.step.run({
      inputs: {
        ...inputs,
        source_mask: { dims: [rows, sourceTokens], data: this.#mask },
        write_at: { dims: [rows * heads, 3], data: BigInt64Array.from(places, BigInt) },
      },
      views: { ...this.#views('targets', rows, this.#capacity), ...this.#views('sources', rows, sourceTokens) },
    });
  }

  async keep(rows: readonly number[]): Promise<void> {
    const { sourceTokens } = this.args;
    await this.#arrangeTargets(rows, this.#capacity);
    const index = this.#slots(rows, sourceTokens, sourceTokens);
    await this.programs.arrangeSources.run({
      inputs: { index: { dims: [index.length], data: index } },
      views: this.#slotViews('sources', sourceTokens),
    });
    this.#mask = Float32Array.from(rows.flatMap((row) => [...this.#maskOf(row)]));
    this.#rows = rows.length;
  }

  #maskOf(row: number): Float32Array {
    const { sourceTokens } = this.args;
    return this.#mask.subarray(row * sourceTokens, (row + 1) * sourceTokens);
  }

  async #arrangeTargets(rows: readonly number[], capacity: number): Promise<void> {
    const index = this.#slots(rows, this.#capacity, capacity);
    await this.programs.arrangeTargets.run({
      inputs: { index: { dims: [index.length], data: index } },
      views: this.#slotViews('targets', this.#capacity),
    });
  }

  /** Lists, for each column of the new layout, the old column. Columns beyond the old length get any finite numbers. */
  #slots(rows: readonly number[], oldLength: number, length: number): Int32Array {
    const { heads } = this.args;
    const index = new Int32Array(rows.length * heads * length);
    let to = 0;
    for (const row of rows)
      for (let head = 0; head < heads; head++)
        for (let column = 0; column < length; column++)
          index[to++] = (row * heads + head) * oldLength + Math.min(column, oldLength - 1);
    return index;
  }

  #views(role: 'targets' | 'sources', rows: number, length: number) {
    const dims = [rows, this.args.heads, length, this.args.headSize];
    return Object.fromEntries(this.names[role].map((name) => [name, [role, name, dims] as const]));
  }

  #slotViews(role: 'targets' | 'sources', length: number) {
    const dims = [this.#rows * this.args.heads * length, this.args.headSize];
    return Object.fromEntries(this.names[role].map((name) => [name, [role, name, dims] as const]));
  }
}
