// Samples the utterances of many episodes in parallel. Each has a slot, whose context stays in the KV cache over all turns, so
// that a turn computes only its new tokens. A slot's row of the cache may change from call to call (slot-mapping.ts).
import { maximum, spokenIds } from '@bowyer/core';
import { commonPrefix } from '../batching/common-prefix.js';
import type { SharedPositions } from './cache-rows.js';
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

/** The model's programs, and the options for how the KV cache is used. */
export interface EpisodesOptions {
  programs: DecodePrograms;
  contextLength: number;
  slots: number;
  /** Whether one, slightly slower sampler serves turns with different settings, which saves compiling programs. */
  sharesSampler?: boolean;
  /** Whether each token draws one number from the turn's `rng`, so that a text does not depend on its division into calls. */
  drawsPerToken?: boolean;
  /** Prefixes that other slots have read, in any cache of the model; not with recurrent layers. */
  pool?: PrefixPool;
  /**
   * Whether a prefix that slots copy from each other is stored only once (see cache-rows.ts), so that the cache takes less memory
   * and steps read less of it. The option is ignored with recurrent layers and with a cache on a GPU.
   */
  sharesPrefixes?: boolean;
  /** The most prompt tokens per row that the graph reads at a time; 256 if omitted. */
  prefillChunk?: number;
  /** The least number of tokens for which a row copies a common prefix from another row; 32 if omitted. */
  leastShared?: number;
}

type Call = Omit<SlotInput, 'rng'> & {
  /** [maxNewTokens] uniform random numbers, or one number where tokens are only read. */
  uniforms: Float32Array;
};

/** The most prompt tokens per row that the graph reads at a time. Larger chunks need more memory and are not faster. */
const PREFILL_CHUNK = 256;

/** The least number of tokens to copy: reading fewer takes no longer than starting the graph once more. */
const LEAST_SHARED = 32;

/** Holds the contexts of slots, and samples utterances that continue them. */
export class Episodes {
  readonly #contexts: number[][];
  /** [slots] the adapter with which the keys and values in each slot's cache were computed. */
  readonly #adapters: (LoadedAdapter | null)[];
  readonly #rows: SlotMapping;
  #capacities: Int32Array;
  #shared: SharedPositions | undefined;
  /** Prompt tokens since the cache was opened: read by the model, or copied from other slots or the pool. */
  readonly promptTokens = { read: 0, copied: 0 };

  private constructor(
    private readonly options: EpisodesOptions,
    private readonly cache: DecodeCache,
  ) {
    this.#capacities = new Int32Array(options.slots).fill(roundedCapacity(0));
    this.#contexts = Array.from({ length: options.slots }, () => []);
    this.#adapters = this.#contexts.map(() => null);
    this.#rows = new SlotMapping(options.slots, this.#states.length > 0);
    if (cache.shares) this.#shared = { lengths: [0, 0], rows: new Uint8Array(options.slots) };
  }

  static async open(options: EpisodesOptions): Promise<Episodes> {
    const { slots, contextLength, programs } = options;
    if (!Number.isInteger(slots) || slots < 1)
      throw new RangeError(`openEpisodes: ${slots} slots; at least one is needed`);
    return new Episodes(options, await programs.openCache(slots, contextLength, options.sharesPrefixes));
  }

  /** Returns the specs of the states of recurrent layers; empty if the model has none. */
  get #states() {
    return this.options.programs.architecture.states ?? [];
  }

  /** Returns whether turns of one call may have different sampling settings. */
  get mixesTurns(): boolean {
    return this.options.sharesSampler ?? false;
  }

  /** Counts the tokens in a slot's context, including those at its beginning that exceed the model's context length. */
  length(slot: number): number {
    return this.#context(slot).length;
  }

  context(slot: number): readonly number[] {
    return this.#context(slot);
  }

  /** Returns the adapter with which the slot's last turn was read. */
  adapter(slot: number): LoadedAdapter | null {
    this.#context(slot);
    return this.#adapters[slot];
  }

  /**
   * Removes everything after the first `tokenCount` tokens of a slot's context; the rest stays cached. Recurrent states return to
   * their snapshot before the latest prompt's last token; if it is after `tokenCount`, the whole context is read again.
   */
  truncate(slot: number, tokenCount: number): void {
    const context = this.#context(slot);
    if (!(tokenCount >= 0 && tokenCount <= context.length))
      throw new RangeError(`Episodes.truncate: slot ${slot} has ${context.length} tokens, asked to keep ${tokenCount}`);
    context.length = tokenCount;
    this.#rows.keepUpTo(slot, tokenCount);
  }

  /**
   * Adds each turn's tokens to its slot's context and samples one utterance per turn, whose ids join the context without the
   * terminator, so that the next observation follows them. A context without room for `maxNewTokens` loses its oldest tokens (see
   * `contextTokens`).
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
   * Adds tokens to the contexts of slots and reads them, so that a later `act` does not have to: for example, a server reads a
   * long prompt in several calls and serves other requests between them.
   *
   * @param options the options of the `act` that follows, whose graph is used
   * @returns the number of tokens of each turn that the model read; the other tokens were cached
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

  /** Returns whether slots can copy prefixes; not with recurrent layers, whose states a slot has only after its last token. */
  get canCopy(): boolean {
    return this.#states.length === 0;
  }

  /** Counts a text's leading tokens in the slot's cache, another slot's or the pool; never the last one, which is always read. */
  cachedTokens(slot: number, tokens: readonly number[], adapter: LoadedAdapter | null = null): number {
    const own = this.#commonWith(slot, tokens, adapter);
    const pooled = (this.options.pool?.find(tokens, adapter).length ?? 0) * BLOCK_TOKENS;
    const longest = this.canCopy ? Math.max(own, pooled, this.#longestInSlots(tokens, adapter)) : own;
    return Math.min(longest - own < this.#leastShared ? own : longest, tokens.length - 1);
  }

  /** Saves the first tokens of slots' contexts in the pool, for later texts that begin with the same tokens. */
  async retain(slots: readonly number[]): Promise<void> {
    const texts = slots.map((slot) => ({
      row: this.#rows.row(slot),
      tokens: this.#content(slot),
      reader: this.#adapters[slot],
    }));
    await this.options.pool?.save(this.#pooledCache(), texts);
  }

  /** Reads the turns' tokens and samples their utterances; with `maxNewTokens` 0, tokens are only read. */
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
    // The kernel knows only rows of the cache, so that turns are passed to it in the order of their slots' rows.
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
    const batch = await programs.forBatch(sampler, { lengths, width, shares: this.cache.shares });
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
    [this.#capacities, this.#shared] = [result.capacities, result.shared];
    const utterances = new Map<number, GeneratedUtterance>();
    byRow.forEach(({ slot, read }, row) => {
      const { start, tokens } = windows[row];
      const generated = result.rows[row];
      // The model has not read the last sampled token, which is not cached. Snapshots are from before the prompt's last token.
      const fed = Math.max(0, generated.tokens.length - 1);
      this.#rows.setWindow(slot, start, tokens + fed, tokens - 1);
      utterances.set(slot, this.#utterance(slot, generated, { contextTokens: tokens, readTokens: read }));
    });
    for (const [a, b] of result.swaps) this.#rows.swap(a, b);
    return turns.map(({ slot }) => utterances.get(slot)!);
  }

  /** Invalidates all cached keys and values, as a change of the weights requires; they are computed again when needed. */
  forget(): void {
    for (const slot of this.#contexts.keys()) this.#rows.keepUpTo(slot, 0);
  }

  async close(): Promise<void> {
    await this.options.programs.closeCache(this.cache);
  }

  /** Copies prefixes from the pool where this saves more than copying from other slots. @returns the number of tokens copied */
  async #loadFromPool(turns: readonly Call[], maxNewTokens: number): Promise<number> {
    const { pool } = this.options;
    if (!pool) return 0;
    const loads = turns.flatMap(({ slot }) => {
      const { start, cached } = this.#window(slot, maxNewTokens);
      if (this.#context(slot).length - start - cached <= this.#leastShared) return []; // copying would save too few tokens
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
    const { capacities, shared } = await pool.load(this.#pooledCache(), copies);
    [this.#capacities, this.#shared] = [capacities, shared];
    return loads.reduce((sum, { length, cached }) => sum + length - cached, 0);
  }

  #longestInSlots(tokens: readonly number[], adapter: LoadedAdapter | null): number {
    return maximum([...this.#contexts.keys()].map((slot) => this.#commonWith(slot, tokens, adapter)));
  }

  /** Counts the leading tokens that a text has in common with the cached context of a slot; 0 if their adapters differ. */
  #commonWith(slot: number, tokens: readonly number[], adapter: LoadedAdapter | null): number {
    if (this.#adapters[slot] !== adapter) return 0;
    const { start, length } = this.#rows.window(slot);
    if (start > 0) return commonPrefix(this.#content(slot), tokens);
    return Math.min(length, commonPrefix(this.#context(slot), tokens)); // does not copy the context, which may be long
  }

  #pooledCache(): PooledCache {
    return { state: this.cache.state, geometry: this.#geometry, lengths: this.#rows.lengthsBefore([]) };
  }

  /** Returns the tokens whose keys and values are in a slot's row of the cache. */
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
    const largestCapacity = roundedCapacity(contextLength);
    return { heads, headSize, capacities: this.#capacities, shared: this.#shared, largestCapacity };
  }

  /** Finds how many tokens of each turn's prompt are cached, and how many it can copy once other slots have read them. */
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

  /** Adds the tokens that a call has read and copied to `promptTokens`; `pooled` tokens were copied from the pool. */
  #count({ stages, copied }: SharingPlan, windows: readonly { feed: Int32Array }[], pooled: number): void {
    const fed = [
      ...stages.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)),
      ...windows.map(({ feed }) => feed),
    ];
    for (const { length } of fed) this.promptTokens.read += length;
    this.promptTokens.copied += copied + pooled;
  }

  /** Returns the section of a slot's context that the model sees: where it starts, and how many of its tokens are cached. */
  #window(slot: number, maxNewTokens: number): { start: number; cached: number } {
    const context = this.#context(slot);
    const room = this.options.contextLength - Math.max(1, maxNewTokens) + 1; // the last sampled token is never read
    const start = Math.max(0, context.length - room);
    // The last token is always read, since the next token is sampled from its logits.
    this.#rows.keepUpTo(slot, context.length - 1);
    const cached = this.#rows.cachedFrom(slot, start);
    if (cached === 0) this.#rows.setWindow(slot, start, 0);
    return { start, cached };
  }

  /**
   * Returns a slot's window with the tokens that must be read. @param cached how many of the window's tokens will be cached then
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
      roundsSizes: this.options.programs.roundsSizes,
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
