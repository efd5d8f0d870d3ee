// Generates utterances token by token: the new tokens of all rows go through the graph, a token is sampled for each row, and a
// row stops at a terminator or at `maxNewTokens`.
import type { KernelProgram } from '@bowyer/graph';
import { BUFFER_STEPS, roundedSize } from '../batching/few-sizes.js';
import { PLACES } from '../lora/adapter-bank-graph.js';
import type { GenerateArgs, GeneratedRow, GenerateResult, Role } from './generate-args.js';
import { logitBiasInputs, logitRuleInputs, tokenMaskInput, topLogprobsOf, type TopLogprobs } from './logit-inputs.js';
import type { KernelInputs, LoopCache } from './loop-cache.js';
import { mixedSamplingInputs } from './mixed-sampling.js';
import { longestFirst, promptRuns } from './prompt-runs.js';

/** Runs the token loop over a cache whose first rows are those of the call. */
export async function generateWith(
  cache: LoopCache,
  programs: Readonly<Record<Role, KernelProgram>>,
  args: GenerateArgs,
): Promise<GenerateResult> {
  const loop = new TokenLoop(cache, args);
  for (const { feed, copies } of args.shared ?? []) {
    await loop.read(programs.prefill, feed);
    cache.copy(copies);
  }
  const step = () => {
    const { length } = loop.batch;
    const role = args.few.some(([from, to]) => from <= length && length <= to) ? 'stepFew' : 'stepMany';
    return loop.step(programs[role], args.takesLast[role]);
  };
  loop.take(await (loop.beginsWithStep ? step() : loop.feed(programs.prefill)));
  if (loop.isRunning) loop.orderByLength();
  while (loop.isRunning) loop.take(await step());
  await cache.settle();
  return {
    rows: loop.rows,
    capacities: cache.capacities,
    lengths: cache.lengths,
    swaps: loop.swaps,
  };
}

/** The tokens that one run of the graph has sampled, one for each row of the batch. */
interface Sampled {
  tokens: Int32Array;
  logprobs: Float32Array;
  samplingLogprobs: Float32Array;
  /** [rows] the log-probability among the tokens that the mask allows; only from a sampler with token masks. */
  maskedLogprobs?: Float32Array;
  /** [rows] the most likely tokens; only from a sampler with biases. */
  topLogprobs?: TopLogprobs[];
}

/** Holds the state of the token loop: the utterances so far, and the cache rows in which the unfinished ones are. */
class TokenLoop {
  readonly rows: GeneratedRow[];
  readonly swaps: [number, number][] = [];
  /** [batch] for each cache row of the batch, the index of its utterance in `rows`. */
  batch: number[];

  constructor(
    private readonly cache: LoopCache,
    private readonly args: GenerateArgs,
  ) {
    this.rows = args.feed.map(() => ({
      tokens: [],
      logprobs: [],
      samplingLogprobs: [],
      maskedLogprobs: [],
      topLogprobs: [],
      terminated: false,
    }));
    this.batch = args.feed.map((_, index) => index);
  }

  get isRunning(): boolean {
    return this.batch.some((index) => this.#goesOn(index));
  }

  /** Whether every row has exactly one new token, which the graph for steps then reads as fast as in a longer call. */
  get beginsWithStep(): boolean {
    const { feed, maxNewTokens } = this.args;
    return maxNewTokens > 0 && feed.every(({ length }) => length === 1);
  }

  #goesOn(index: number): boolean {
    return !this.rows[index].terminated && this.rows[index].tokens.length < this.args.maxNewTokens;
  }

  /**
   * Reads all new tokens of `args.feed` and samples a token after them. Snapshots of recurrent states are taken before each row's
   * last token, since another continuation of the same prompt would begin there.
   */
  async feed(program: KernelProgram): Promise<Sampled> {
    const { feed } = this.args;
    const swaps = longestFirst(feed.map(({ length }) => length));
    for (const [a, b] of swaps) this.#swap(a, b);
    if (swaps.length === 0) this.orderByLength();
    const tokens = this.batch.map((index) => feed[index]);
    if (!this.cache.takeSnapshots) return (await this.read(program, tokens))!;
    await this.read(
      program,
      tokens.map((own) => own.subarray(0, -1)),
    );
    this.cache.takeSnapshots(tokens.length);
    return (await this.read(
      program,
      tokens.map((own) => own.subarray(-1)),
    ))!;
  }

  /** Reads new tokens of the first rows. @returns the tokens sampled after each row's last one; null if no row has new tokens */
  async read(program: KernelProgram, feed: readonly Int32Array[]): Promise<Sampled | null> {
    const lengths = feed.map(({ length }) => length);
    let sampled: Sampled | null = null;
    for (const { rows, from, to } of promptRuns(lengths, this.args.chunk)) {
      const pieces = feed
        .slice(0, rows)
        .map((tokens) => tokens.subarray(Math.max(0, tokens.length - to), Math.max(0, tokens.length - from)));
      const width = this.args.roundsSizes ? roundedSize(to - from, BUFFER_STEPS) : to - from;
      const counts = Int32Array.from(pieces, ({ length }) => length);
      const last = Int32Array.from(counts, (count, row) => row * width + Math.max(0, count - 1));
      sampled = await this.#run(program, pieces, width, counts, { last: { dims: [rows], data: last } });
    }
    return sampled;
  }

  /**
   * Reads one token of each row and samples the next one; the token is the last sampled one or, in the first step, the row's only
   * new one. Tokens of finished rows are read too, but not added to the cache.
   */
  step(program: KernelProgram, takesLast: boolean): Promise<Sampled> {
    if (this.rows.every(({ tokens }) => tokens.length === 0)) this.cache.takeSnapshots?.(this.batch.length);
    const pieces = this.batch.map((index) => Int32Array.of(this.rows[index].tokens.at(-1) ?? this.args.feed[index][0]));
    const counts = Int32Array.from(this.batch, (index) => Number(this.#goesOn(index)));
    const last = { dims: [pieces.length], data: Int32Array.from(pieces, (_, row) => row) };
    return this.#run(program, pieces, 1, counts, takesLast ? { last } : {});
  }

  /** Appends the sampled tokens to unfinished utterances. */
  take(sampled: Sampled): void {
    this.batch.forEach((index, row) => this.#goesOn(index) && this.#append(index, sampled, row));
    this.#compact();
  }

  #append(index: number, sampled: Sampled, at: number): void {
    const { tokens, logprobs, samplingLogprobs, maskedLogprobs, topLogprobs } = sampled;
    const result = this.rows[index];
    result.tokens.push(tokens[at]);
    result.logprobs.push(logprobs[at]);
    result.samplingLogprobs.push(samplingLogprobs[at]);
    if (maskedLogprobs) result.maskedLogprobs.push(maskedLogprobs[at]);
    if (topLogprobs) result.topLogprobs.push(topLogprobs[at]);
    result.terminated = this.args.terminatorIds[index].includes(tokens[at]);
  }

  /** Moves unfinished rows to the front and drops finished ones, once at least half of the rows are finished. */
  #compact(): void {
    const { batch } = this;
    const running = batch.filter((index) => this.#goesOn(index)).length;
    if (running === 0 || running * 2 > batch.length) return;
    let from = running;
    for (let to = 0; to < running; to++) {
      if (this.#goesOn(batch[to])) continue;
      while (!this.#goesOn(batch[from])) from++;
      this.#swap(to, from);
    }
    batch.length = running;
  }

  /** Moves rows with long contexts to the front, if attention then reads fewer positions. */
  orderByLength(): void {
    const { lengths } = this.cache;
    const needed = this.batch.map((_, row) => lengths[row]);
    for (const [a, b] of this.cache.longRowsFirst?.(needed) ?? []) this.#swap(a, b);
  }

  #swap(a: number, b: number): void {
    const { batch } = this;
    this.cache.swap(a, b);
    this.swaps.push([a, b]);
    [batch[a], batch[b]] = [batch[b], batch[a]];
  }

  async #run(
    program: KernelProgram,
    pieces: readonly Int32Array[],
    width: number,
    counts: Int32Array,
    extra: KernelInputs = {},
  ): Promise<Sampled> {
    const adapters = this.#adapters(pieces.length);
    const inputs = { ...this.#tokens(pieces, width), ...adapters, ...this.#sampling(pieces.length), ...extra };
    const outputs = await this.cache.run(program, inputs, width, counts);
    return {
      tokens: outputs.tokens.data as Int32Array,
      logprobs: outputs.logprobs.data as Float32Array,
      samplingLogprobs: outputs.sampling_logprobs.data as Float32Array,
      ...(outputs.masked_logprobs && { maskedLogprobs: outputs.masked_logprobs.data as Float32Array }),
      ...(outputs.top_ids && { topLogprobs: topLogprobsOf(outputs, pieces.length) }),
    };
  }

  /** Pads token ids on the right to `width`, and computes their positions, which continue after the cached ones. */
  #tokens(pieces: readonly Int32Array[], width: number) {
    const ids = new Int32Array(pieces.length * width);
    const positions = new Int32Array(pieces.length * width);
    const { lengths } = this.cache;
    pieces.forEach((piece, row) => {
      ids.set(piece, row * width);
      const start = lengths[row];
      for (let t = 0; t < width; t++) positions[row * width + t] = Math.min(start + t, this.args.lastPosition);
    });
    const dims = [pieces.length, width];
    return { ids: { dims, data: ids }, positions: { dims, data: positions } };
  }

  #adapters(rows: number): KernelInputs {
    const { adapterPlaces } = this.args;
    if (!adapterPlaces) return {};
    const own = Int32Array.from({ length: rows }, (_, row) => adapterPlaces[this.batch[row]]);
    return { [PLACES]: { dims: [rows], data: own } };
  }

  #sampling(rows: number): KernelInputs {
    const { uniforms, temperature, topP, mixed, maxNewTokens } = this.args;
    const batch = this.batch.slice(0, rows);
    const own = Float32Array.from(batch, (index) => uniforms[index * maxNewTokens + this.rows[index].tokens.length]);
    return {
      ...(uniforms.length > 0 && { uniforms: { dims: [own.length], data: own } }),
      ...(temperature !== undefined && { temperature: { dims: [], data: Float32Array.of(temperature) } }),
      ...(topP !== undefined && { top_p: { dims: [], data: Float32Array.of(topP) } }),
      ...(mixed &&
        mixedSamplingInputs(
          batch.map((index) => mixed.rows[index]),
          mixed.vocabSize,
        )),
      ...this.#logitInputs(batch),
      ...this.#maskInput(batch),
    };
  }

  #maskInput(batch: readonly number[]): KernelInputs {
    const { masked } = this.args;
    return masked
      ? tokenMaskInput(
          batch.map((index) => masked.masks[index]),
          masked.vocabSize,
        )
      : {};
  }

  #logitInputs(batch: readonly number[]): KernelInputs {
    const { logitBias, ruled, terminatorIds } = this.args;
    if (!ruled) return logitBias ? logitBiasInputs(batch.map((index) => logitBias[index])) : {};
    const rows = batch.map((index) => ({
      ruled: ruled[index],
      bias: logitBias?.[index] ?? [],
      generated: this.rows[index].tokens,
      terminatorIds: terminatorIds[index],
    }));
    return logitRuleInputs(rows);
  }
}
