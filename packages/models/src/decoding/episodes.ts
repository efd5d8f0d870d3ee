// Many episodes sampled side by side: each slot keeps its context in the key-value cache over all turns of an episode,
// so that a turn costs its new tokens only.
import { maximum, spokenIds } from '@bowyer/core';
import { commonPrefix } from './common-prefix.js';
import type { DecodeCache, DecodePrograms } from './decode-programs.js';
import type { LoadedAdapter } from '../lora/adapter-bank.js';
import { roundedCapacity } from './capacity-classes.js';
import type { GenerateArgs, GeneratedRow } from './generate-args.js';
import type { LogitBias, RuledText } from './logit-inputs.js';
import { noLogitRules } from './logit-rules.js';
import type { PooledCache, PrefixPool } from './prefix-pool.js';
import { BLOCK_TOKENS } from './prefix-tree.js';
import { samplerFor, type Sampler } from './sampling.js';
import { computable, type SamplingOptions } from './sampling-options.js';
import { samplingUniforms, uniformsPerToken } from './sampling-uniforms.js';
import { readersFirst, sharingPlan, stagesOfRows, type SharingPlan } from './sharing-plan.js';
import { SlotMapping } from './slot-mapping.js';
import { checkTurns } from './turn-checks.js';
import { ownSampling, uniformsFor, type SlotInput, type GeneratedUtterance } from './turns.js';

export interface EpisodesOptions {
  programs: DecodePrograms;
  contextLength: number;
  slots: number;
  /**
   * Whether one sampler serves all turns, each with settings of its own: a little slower, but turns with other settings
   * need no second program.
   */
  sharesSampler?: boolean;
  /**
   * Whether each token has its own number of a turn's `rng`, so that a text that several calls generate is the same
   * however many tokens each of them generates.
   */
  drawsPerToken?: boolean;
  /** Beginnings of texts that other slots have had, of this cache or of others of the same model. Not with recurrent layers. */
  pool?: PrefixPool;
  /** Prompt tokens per row that go through the model at once; 256 if not given. */
  prefillChunk?: number;
  /** Tokens that must be saved for a row to copy a prompt's beginning from another; 32 if not given. */
  leastShared?: number;
}

type Call = Omit<SlotInput, 'rng'> & {
  /** [maxNewTokens], and one where tokens are only read */
  uniforms: Float32Array;
};

/** More prompt tokens at once would only cost memory. */
const PREFILL_CHUNK = 256;

/** Fewer are read as fast as a further run of the graph starts. */
const LEAST_SHARED = 32;

export class Episodes {
  readonly #contexts: number[][];
  /** The adapters that the caches were computed with. */
  readonly #adapters: (LoadedAdapter | null)[];
  readonly #rows: SlotMapping;
  #capacities: Int32Array;
  /** How many tokens of all prompts so far the model has read, and how many it did not need to since another slot had. */
  readonly promptTokens = { read: 0, copied: 0 };

  private constructor(
    private readonly options: EpisodesOptions,
    private readonly cache: DecodeCache,
  ) {
    this.#capacities = new Int32Array(options.slots).fill(roundedCapacity(0));
    this.#contexts = Array.from({ length: options.slots }, () => []);
    this.#adapters = this.#contexts.map(() => null);
    this.#rows = new SlotMapping(options.slots, this.#states.length > 0);
  }

  static async open(options: EpisodesOptions): Promise<Episodes> {
    const { slots, contextLength, programs } = options;
    if (!Number.isInteger(slots) || slots < 1)
      throw new RangeError(`openEpisodes: ${slots} slots; at least one is needed`);
    return new Episodes(options, await programs.openCache(slots, contextLength));
  }

  /** Lists the states that recurrent layers keep of earlier tokens. */
  get #states() {
    return this.options.programs.architecture.states ?? [];
  }

  /** Returns whether turns of one call may be sampled differently. */
  get mixesTurns(): boolean {
    return this.options.sharesSampler ?? false;
  }

  /** Counts the tokens in a slot's context, also those that no longer fit into the model's. */
  length(slot: number): number {
    return this.#context(slot).length;
  }

  /** Returns the tokens in a slot's context. */
  context(slot: number): readonly number[] {
    return this.#context(slot);
  }

  /** Returns the adapter that the slot's last turn had. */
  adapter(slot: number): LoadedAdapter | null {
    this.#context(slot);
    return this.#adapters[slot];
  }

  /**
   * Forgets everything after the slot's first `tokenCount` tokens. Their columns in the cache stay; states of recurrent layers go
   * back to before the last token of the latest prompt, and where that is too late everything is fed again.
   */
  truncate(slot: number, tokenCount: number): void {
    const context = this.#context(slot);
    if (!(tokenCount >= 0 && tokenCount <= context.length))
      throw new RangeError(`Episodes.truncate: slot ${slot} has ${context.length} tokens, asked to keep ${tokenCount}`);
    context.length = tokenCount;
    this.#rows.keepUpTo(slot, tokenCount);
  }

  /**
   * Adds each turn's tokens to its slot and samples one utterance per turn. The utterance's ids join the context, its
   * terminator does not: the observation that follows continues the history.
   *
   * A context that leaves no room for `maxNewTokens` loses its oldest tokens (see `contextTokens`).
   */
  async act(turns: readonly SlotInput[], given: SamplingOptions): Promise<GeneratedUtterance[]> {
    this.#check(turns, given);
    if (turns.length === 0) return [];
    const options = computable(given);
    const uniformsOf = this.options.drawsPerToken ? uniformsPerToken : samplingUniforms;
    const uniforms = turns.map(({ rng }) => uniformsOf(rng, options.maxNewTokens));
    return this.#call(
      turns.map((turn, i) => ({ ...turn, uniforms: uniforms[i] })),
      options,
    );
  }

  /**
   * Adds tokens to slots and reads them, so that a later `act` need not: a long prompt in pieces, between which others can be served.
   *
   * @param options as the `act` that follows gets them, whose graph is used
   * @returns how many tokens of each turn the model read; the others' keys and values were in a cache
   */
  async read(
    turns: readonly Pick<SlotInput, 'slot' | 'tokens' | 'adapter'>[],
    options: SamplingOptions,
  ): Promise<number[]> {
    this.#check(turns, options);
    if (turns.length === 0) return [];
    const unused = new Float32Array(1);
    const reads = turns.map(({ slot, tokens, adapter }) => ({ slot, tokens, adapter, uniforms: unused }));
    const utterances = await this.#call(reads, { ...computable(options), maxNewTokens: 0 });
    return utterances.map(({ readTokens }) => readTokens);
  }

  /** Returns whether slots can copy what others have read: states of recurrent layers are those after a context's last token. */
  get canCopy(): boolean {
    return this.#states.length === 0;
  }

  /** Counts how many of a text's first tokens a slot could have without reading them. The last one is always read. */
  cachedTokens(slot: number, tokens: readonly number[], adapter: LoadedAdapter | null = null): number {
    const own = this.#commonWith(slot, tokens, adapter);
    const pooled = (this.options.pool?.find(tokens, adapter).length ?? 0) * BLOCK_TOKENS;
    const longest = this.canCopy ? Math.max(own, pooled, this.#longestInSlots(tokens, adapter)) : own;
    return Math.min(longest - own < this.#leastShared ? own : longest, tokens.length - 1);
  }

  /** Keeps the beginnings of slots' contexts in the pool, for texts that begin alike. */
  async retain(slots: readonly number[]): Promise<void> {
    const texts = slots.map((slot) => ({
      row: this.#rows.row(slot),
      tokens: this.#content(slot),
      reader: this.#adapters[slot],
    }));
    await this.options.pool?.save(this.#pooledCache(), texts);
  }

  /**
   * Reads the turns' tokens and samples their answers.
   *
   * @param options with `maxNewTokens` 0 tokens are read and nothing is sampled
   */
  async #call(turns: readonly Call[], options: SamplingOptions): Promise<GeneratedUtterance[]> {
    const sampler = samplerFor(options, this.options.programs.architecture.vocabSize, this.options.sharesSampler);
    for (const { slot, reset, tokens, adapter = null } of turns) {
      const context = this.#context(slot);
      if (reset) context.length = 0;
      if (reset || adapter !== this.#adapters[slot]) this.#rows.keepUpTo(slot, 0);
      this.#adapters[slot] = adapter;
      for (const token of tokens) context.push(token);
      if (context.length === 0)
        throw new RangeError(`Episodes.act: slot ${slot} has no token to continue from; give it at least one`);
    }
    const pooled = await this.#loadFromPool(turns, options.maxNewTokens);
    const plan = this.#sharingPlan(turns, options.maxNewTokens);
    const swaps = [turns.map(({ slot }) => slot), ...readersFirst(plan).reverse()].flatMap((slots) =>
      this.#rows.bringToFront(slots),
    );
    // The worker knows rows only: turns in the order of their rows.
    const byRow = turns
      .map(
        (
          { slot, uniforms, logitBias = [], rules = noLogitRules, newTokens = 0, tokenMask = null, sampling = options },
          i,
        ) => ({
          slot,
          sampling: ownSampling(sampling),
          logitBias,
          tokenMask,
          uniforms,
          cached: plan.cached[i],
          read: plan.read[i],
          ruled: { rules, newTokens, text: sampler.appliesRules ? [...this.#context(slot)] : [] },
        }),
      )
      .sort((a, b) => this.#rows.row(a.slot) - this.#rows.row(b.slot));
    const windows = byRow.map(({ slot, cached }) => this.#withFeed(slot, cached));
    const restore = [...byRow.keys()].filter((row) => this.#rows.restores(byRow[row].slot));
    const { programs } = this.options;
    const width = maximum(windows.map(({ feed }) => feed.length));
    const { state, arrange } = this.cache;
    const kernel = await programs.kernel();
    const lengths = windows.map(({ tokens }) => tokens);
    const batch = await programs.forBatch(sampler, { lengths, width });
    const { prefill, stepFew, stepMany } = batch.programs;
    const shared = stagesOfRows(plan, this.#rows);
    this.#count(plan, windows, pooled);
    const run = this.#arguments({ windows, swaps, shared, restore, turns: byRow }, sampler, options);
    const result = await kernel
      .call({
        states: { cache: state },
        programs: { ...batch.programs, ...(arrange && { arrange }) },
        args: {
          ...run,
          few: batch.few,
          classes: batch.classes,
          takesLast: { stepFew: stepFew === prefill, stepMany: stepMany === prefill },
        },
      })
      .finally(() => programs.done(batch));
    this.#capacities = result.capacities;
    const utterances = new Map<number, GeneratedUtterance>();
    byRow.forEach(({ slot, read }, row) => {
      const { start, tokens } = windows[row];
      const generated = result.rows[row];
      // The last token sampled is not fed, and snapshots are taken before the last token of the prompt.
      const fed = Math.max(0, generated.tokens.length - 1);
      this.#rows.setWindow(slot, start, tokens + fed, tokens - 1);
      utterances.set(slot, this.#utterance(slot, generated, { contextTokens: tokens, readTokens: read }));
    });
    for (const [a, b] of result.swaps) this.#rows.swap(a, b);
    return turns.map(({ slot }) => utterances.get(slot)!);
  }

  /** Empties the caches of all contexts, to be computed again when they are needed: the weights have changed. */
  forget(): void {
    for (const slot of this.#contexts.keys()) this.#rows.keepUpTo(slot, 0);
  }

  /** Frees the cache. */
  async close(): Promise<void> {
    await this.options.programs.closeCache(this.cache);
  }

  /** Copies from the pool what turns begin with, where that saves more than other slots do. @returns how many tokens */
  async #loadFromPool(turns: readonly Call[], maxNewTokens: number): Promise<number> {
    const { pool } = this.options;
    if (!pool) return 0;
    const loads = turns.flatMap(({ slot }) => {
      const { start, cached } = this.#window(slot, maxNewTokens);
      if (this.#context(slot).length - start - cached <= this.#leastShared) return []; // a step of an answer ends here
      const tokens = this.#context(slot).slice(start);
      const adapter = this.#adapters[slot];
      const blocks = pool.find(tokens, adapter);
      const length = Math.min(blocks.length * BLOCK_TOKENS, tokens.length - 1);
      if (length - cached < this.#leastShared) return [];
      if (length - this.#longestInSlots(tokens, adapter) < this.#leastShared) return [];
      return [{ slot, start, cached, length, blocks }];
    });
    if (loads.length === 0) return 0;
    for (const { slot, start, length } of loads) this.#rows.setWindow(slot, start, length);
    const copies = loads.flatMap(({ slot, cached, blocks }) => {
      const first = Math.floor(cached / BLOCK_TOKENS);
      const row = this.#rows.row(slot);
      return blocks.slice(first).map((block, i) => ({ block, row, start: (first + i) * BLOCK_TOKENS }));
    });
    const { capacities } = await pool.load(this.#pooledCache(), copies);
    this.#capacities = capacities;
    return loads.reduce((sum, { length, cached }) => sum + length - cached, 0);
  }

  #longestInSlots(tokens: readonly number[], adapter: LoadedAdapter | null): number {
    return maximum([...this.#contexts.keys()].map((slot) => this.#commonWith(slot, tokens, adapter)));
  }

  /** Counts how many of the tokens a slot's row begins with, read with the same adapter. */
  #commonWith(slot: number, tokens: readonly number[], adapter: LoadedAdapter | null): number {
    if (this.#adapters[slot] !== adapter) return 0;
    const { start, length } = this.#rows.window(slot);
    if (start > 0) return commonPrefix(this.#content(slot), tokens);
    return Math.min(length, commonPrefix(this.#context(slot), tokens)); // contexts are long: no copy
  }

  #pooledCache(): PooledCache {
    return { state: this.cache.state, geometry: this.#geometry, lengths: this.#rows.lengthsBefore([]) };
  }

  /** Returns the tokens whose keys and values a slot's row has. */
  #content(slot: number): number[] {
    const { start, length } = this.#rows.window(slot);
    return this.#context(slot).slice(start, start + length);
  }

  get #leastShared(): number {
    return this.options.leastShared ?? LEAST_SHARED;
  }

  get #geometry(): GenerateArgs['geometry'] {
    const { programs, contextLength } = this.options;
    const { keyValueHeads: heads, headSize } = programs.architecture;
    return { heads, headSize, capacities: this.#capacities, largestCapacity: roundedCapacity(contextLength) };
  }

  /** Finds the part of each turn's prompt that is cached, and the part of the rest that other slots have or will have. */
  #sharingPlan(turns: readonly Pick<SlotInput, 'slot'>[], maxNewTokens: number): SharingPlan {
    const prompts = turns.map(({ slot }) => {
      const { start, cached } = this.#window(slot, maxNewTokens);
      return { slot, tokens: this.#context(slot).slice(start), cached, adapter: this.#adapters[slot] };
    });
    return sharingPlan(prompts, {
      slots: this.options.slots,
      content: (slot) => ({ tokens: this.#content(slot), adapter: this.#adapters[slot] }),
      least: this.#leastShared,
      hasStates: this.#states.length > 0,
    });
  }

  /**
   * Counts the tokens that were read, copied and taken from the pool.
   *
   * @param pooled tokens that came from the pool
   */
  #count({ stages, copied }: SharingPlan, windows: readonly { feed: Int32Array }[], pooled: number): void {
    const fed = [
      ...stages.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)),
      ...windows.map(({ feed }) => feed),
    ];
    for (const { length } of fed) this.promptTokens.read += length;
    this.promptTokens.copied += copied + pooled;
  }

  /** Returns the part of a slot's context that the model will see, and how much of it the slot's cache has. */
  #window(slot: number, maxNewTokens: number): { start: number; cached: number } {
    const context = this.#context(slot);
    const room = this.options.contextLength - Math.max(1, maxNewTokens) + 1; // the last new token is never fed
    const start = Math.max(0, context.length - room);
    // The last token is always fed: what is sampled depends on it.
    this.#rows.keepUpTo(slot, context.length - 1);
    const cached = this.#rows.cachedFrom(slot, start);
    if (cached === 0) this.#rows.setWindow(slot, start, 0);
    return { start, cached };
  }

  /**
   * Returns a slot's window with the tokens that are still to be read.
   *
   * @param cached tokens in the cache when the slot is fed
   */
  #withFeed(slot: number, cached: number): { start: number; tokens: number; feed: Int32Array } {
    const context = this.#context(slot);
    const { start } = this.#rows.window(slot);
    return { start, tokens: context.length - start, feed: Int32Array.from(context.slice(start + cached)) };
  }

  #arguments(
    rows: {
      windows: { feed: Int32Array }[];
      swaps: [number, number][];
      shared: GenerateArgs['shared'];
      restore: number[];
      turns: readonly {
        slot: number;
        uniforms: Float32Array;
        logitBias: LogitBias;
        ruled: RuledText;
        tokenMask: Uint32Array | null;
        sampling: NonNullable<SlotInput['sampling']>;
      }[];
    },
    sampler: Sampler,
    options: SamplingOptions,
  ): Omit<GenerateArgs, 'few' | 'classes' | 'takesLast'> {
    const { windows, swaps, shared, restore, turns } = rows;
    const { contextLength: positions, vocabSize } = this.options.programs.architecture;
    return {
      geometry: this.#geometry,
      lengths: this.#rows.lengthsBefore(swaps),
      swaps,
      shared,
      ...(this.#states.length > 0 && { recurrent: { states: this.#states, restore } }),
      feed: windows.map(({ feed }) => feed),
      chunk: this.options.prefillChunk ?? PREFILL_CHUNK,
      uniforms: uniformsFor(turns, sampler),
      ...('tempered' in sampler && sampler.tempered && { temperature: options.temperature }),
      ...(sampler.kind === 'mixed' && { mixed: { rows: turns.map(({ sampling }) => sampling), vocabSize } }),
      ...(sampler.kind === 'truncated' && { topP: options.topP }),
      ...(sampler.biasesLogits && { logitBias: turns.map(({ logitBias }) => logitBias) }),
      ...(sampler.appliesRules && { ruled: turns.map(({ ruled }) => ruled) }),
      ...(sampler.masksTokens && { masked: { masks: turns.map(({ tokenMask }) => tokenMask), vocabSize } }),
      ...(this.options.programs.bank && { adapterPlaces: this.#places(turns) }),
      maxNewTokens: options.maxNewTokens,
      terminatorIds: turns.map(({ sampling }) => [...sampling.terminatorIds]),
      lastPosition: positions - 1,
    };
  }

  #places(turns: readonly { slot: number }[]): Int32Array {
    return Int32Array.from(turns, ({ slot }) => this.options.programs.bank!.placeOf(this.#adapters[slot]));
  }

  #utterance(
    slot: number,
    { tokens, logprobs, samplingLogprobs, maskedLogprobs, topLogprobs, terminated }: GeneratedRow,
    ofContext: Pick<GeneratedUtterance, 'contextTokens' | 'readTokens'>,
  ): GeneratedUtterance {
    for (const id of spokenIds({ ids: tokens, terminated })) this.#context(slot).push(id);
    return {
      slot,
      ids: tokens,
      terminated,
      logprobs,
      samplingLogprobs,
      ...(maskedLogprobs.length > 0 && { maskedLogprobs }),
      ...(topLogprobs.length > 0 && { topLogprobs }),
      ...ofContext,
    };
  }

  #context(slot: number): number[] {
    const context = this.#contexts[slot];
    if (!context)
      throw new RangeError(`Episodes: there is no slot ${slot}; slots are 0 to ${this.#contexts.length - 1}`);
    return context;
  }

  #check(turns: readonly Omit<SlotInput, 'rng'>[], options: SamplingOptions): void {
    const { programs, contextLength } = this.options;
    for (const { slot } of turns) this.#context(slot);
    checkTurns(turns, options, {
      contextLength,
      vocabSize: programs.architecture.vocabSize,
      bank: programs.bank,
      mixesTurns: this.mixesTurns,
    });
  }
}
