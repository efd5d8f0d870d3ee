// The token loop of one utterance per row, inside the device's worker: feed what is new, sample, write the new keys and
// values into the cache, stop rows at their terminator. No message crosses threads between two tokens.
import type { HostKernel, KernelProgram } from '@bowyer/graph';
import { CacheRows, type CacheGeometry } from './cache-rows.js';

export interface GenerateArgs {
  geometry: CacheGeometry;
  /** [slots] positions in use of every row. */
  lengths: Int32Array;
  /** Rows to exchange first, so that those which take part come before the rest. */
  swaps: readonly (readonly [number, number])[];
  /** New tokens of rows 0, 1, …; each has at least one. */
  feed: readonly Int32Array[];
  /** New tokens fed at a time: bounds the memory of a long prompt. */
  chunk: number;
  /** [fed rows · maxNewTokens] in [0, 1), those of one row in sequence. */
  uniforms: Float32Array;
  temperature: number;
  topP: number;
  sampler: 'greedy' | 'full' | 'truncated';
  maxNewTokens: number;
  terminatorIds: readonly number[];
  /** Last position that the model has an embedding for. */
  lastPosition: number;
  /** From so many tokens at once on, rows go on the left of the weights (see weight-product.ts). */
  manyRows: number;
}

export interface GeneratedRow {
  /** With the terminator, if it ended by one. */
  tokens: number[];
  logprobs: number[];
  samplingLogprobs: number[];
  terminated: boolean;
}

export interface GenerateResult {
  /** In the order of `feed`. */
  rows: GeneratedRow[];
  capacity: number;
  lengths: Int32Array;
  /** Exchanges made on top of those asked for, as rows left the batch. */
  swaps: [number, number][];
}

/** A row of the batch: whose utterance it is, and what it is fed next. */
interface BatchRow {
  /** Index into `feed`. */
  index: number;
  nextToken: number;
}

export const generate: HostKernel<
  'cache',
  GenerateArgs,
  Promise<GenerateResult>,
  'prefillFew' | 'prefillMany' | 'stepFew' | 'stepMany'
> = async ({ states, programs, args }) => {
  const names = Object.keys(states.cache);
  const cache = new CacheRows(
    names.map((name) => states.cache[name].data as Float32Array),
    args.geometry,
    args.lengths,
  );
  const run = new CachedRun(cache, names, args);
  for (const [a, b] of args.swaps) cache.swap(a, b);
  cache.fit(0);

  const results: GeneratedRow[] = args.feed.map(() => ({
    tokens: [],
    logprobs: [],
    samplingLogprobs: [],
    terminated: false,
  }));
  const swaps: [number, number][] = [];
  let batch: BatchRow[] = args.feed.map((_, index) => ({ index, nextToken: 0 }));
  const isRunning = ({ index }: BatchRow) =>
    !results[index].terminated && results[index].tokens.length < args.maxNewTokens;

  for (let step = 0; batch.some(isRunning); step++) {
    const uniforms = Float32Array.from(batch, ({ index }) => args.uniforms[index * args.maxNewTokens + step]);
    const many =
      step === 0
        ? programs.prefillMany
        : batch.length >= args.manyRows || batch.length === 1
          ? programs.stepMany
          : programs.stepFew;
    const sampled =
      step === 0
        ? await run.feed(programs, args.feed, uniforms)
        : await run.step(many, batch, batch.map(isRunning), uniforms);
    batch.forEach((row, r) => {
      if (!isRunning(row)) return;
      const result = results[row.index];
      row.nextToken = sampled.tokens[r];
      result.tokens.push(row.nextToken);
      result.logprobs.push(sampled.logprobs[r]);
      result.samplingLogprobs.push(sampled.samplingLogprobs[r]);
      result.terminated = args.terminatorIds.includes(row.nextToken);
    });
    batch = compacted(batch, isRunning, (a, b) => {
      cache.swap(a, b);
      swaps.push([a, b]);
    });
  }
  return { rows: results, capacity: cache.capacity, lengths: cache.lengths, swaps };
};

/** Once half of the rows are done, those that go on move to the front and the others leave the batch. */
function compacted(
  batch: BatchRow[],
  isRunning: (row: BatchRow) => boolean,
  swap: (a: number, b: number) => void,
): BatchRow[] {
  const running = batch.filter(isRunning).length;
  if (running === 0 || running * 2 > batch.length) return batch;
  const rows = [...batch];
  let from = running;
  for (let to = 0; to < running; to++) {
    if (isRunning(rows[to])) continue;
    while (!isRunning(rows[from])) from++;
    swap(to, from);
    [rows[to], rows[from]] = [rows[from], rows[to]];
  }
  return rows.slice(0, running);
}

interface Sampled {
  tokens: Int32Array;
  logprobs: Float32Array;
  samplingLogprobs: Float32Array;
}

/** Runs of the decoding graph over the first rows of the cache. */
class CachedRun {
  #mask = new Float32Array(0);

  constructor(
    private readonly cache: CacheRows,
    private readonly names: readonly string[],
    private readonly args: GenerateArgs,
  ) {}

  /** Everything new, in chunks of which the last ends every row; what is sampled after it counts. */
  async feed(
    programs: Record<'prefillFew' | 'prefillMany', KernelProgram>,
    feed: readonly Int32Array[],
    uniforms: Float32Array,
  ): Promise<Sampled> {
    const { chunk, manyRows } = this.args;
    const chunks = Math.ceil(Math.max(...feed.map(({ length }) => length)) / chunk);
    let sampled: Sampled | undefined;
    for (let left = chunks - 1; left >= 0; left--) {
      const pieces = feed.map((tokens) =>
        tokens.subarray(Math.max(0, tokens.length - chunk * (left + 1)), Math.max(0, tokens.length - chunk * left)),
      );
      const width = Math.max(...pieces.map(({ length }) => length));
      const program =
        pieces.length * width >= manyRows || pieces.length * width === 1 ? programs.prefillMany : programs.prefillFew;
      sampled = await this.#run(program, pieces, width, uniforms, true);
    }
    return sampled!;
  }

  /** One token per row. Rows that are done are fed too, but leave no trace in the cache. */
  step(
    program: KernelProgram,
    batch: readonly BatchRow[],
    running: readonly boolean[],
    uniforms: Float32Array,
  ): Promise<Sampled> {
    const counts = Int32Array.from(running, Number);
    return this.#run(
      program,
      batch.map(({ nextToken }) => Int32Array.of(nextToken)),
      1,
      uniforms,
      false,
      counts,
    );
  }

  async #run(
    program: KernelProgram,
    pieces: readonly Int32Array[],
    width: number,
    uniforms: Float32Array,
    ragged: boolean,
    counts = Int32Array.from(pieces, ({ length }) => length),
  ): Promise<Sampled> {
    const { sampler, temperature, topP } = this.args;
    const rows = pieces.length;
    const outputs = await program.run({
      inputs: {
        ...this.#tokens(pieces, width),
        ...(ragged && {
          last: { dims: [rows], data: Int32Array.from(counts, (count, row) => row * width + Math.max(0, count - 1)) },
        }),
        ...(sampler !== 'greedy' && {
          uniforms: { dims: [rows], data: uniforms },
          temperature: { dims: [], data: Float32Array.of(temperature) },
        }),
        ...(sampler === 'truncated' && { top_p: { dims: [], data: Float32Array.of(topP) } }),
        cache_mask: { dims: [rows, 1, 1, this.cache.capacity], data: this.#cacheMask(rows) },
      },
      views: this.#views(rows),
    });
    this.cache.fit(Math.max(...counts.map((count, row) => this.cache.lengths[row] + count)));
    this.cache.append(outputs.fresh.data as Float32Array, width, counts);
    return {
      tokens: outputs.tokens.data as Int32Array,
      logprobs: outputs.logprobs.data as Float32Array,
      samplingLogprobs: outputs.sampling_logprobs.data as Float32Array,
    };
  }

  /** Ids padded on the right, and their positions after what the cache holds. */
  #tokens(pieces: readonly Int32Array[], width: number) {
    const ids = new Int32Array(pieces.length * width);
    const positions = new Int32Array(pieces.length * width);
    pieces.forEach((piece, row) => {
      ids.set(piece, row * width);
      const start = this.cache.lengths[row];
      for (let t = 0; t < width; t++) positions[row * width + t] = Math.min(start + t, this.args.lastPosition);
    });
    const dims = [pieces.length, width];
    return { ids: { dims, data: ids }, positions: { dims, data: positions } };
  }

  /** [rows, 1, 1, capacity] 0 over valid positions, far below any score after them. */
  #cacheMask(rows: number): Float32Array {
    const { capacity, lengths } = this.cache;
    if (this.#mask.length !== rows * capacity) this.#mask = new Float32Array(rows * capacity);
    for (let row = 0; row < rows; row++) {
      this.#mask.fill(0, row * capacity, row * capacity + lengths[row]);
      this.#mask.fill(-1e9, row * capacity + lengths[row], (row + 1) * capacity);
    }
    return this.#mask;
  }

  #views(rows: number) {
    const { heads, headSize, capacity } = this.cache.geometry;
    const dims = [rows, heads, capacity, headSize];
    return Object.fromEntries(this.names.map((name) => [name, ['cache', name, dims] as const]));
  }
}
