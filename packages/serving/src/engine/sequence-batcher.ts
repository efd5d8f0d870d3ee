// Generates answers by continuous batching: each has a slot (a row of a key-value cache), and all grow by one token per round. A
// round also reads some tokens of new prompts, so that requests join a running batch and long prompts do not stop answers.
import { spokenIds, type Rng } from '@bowyer/core';
import {
  changesLogits,
  type GeneratedUtterance,
  type LanguageModel,
  type LoadedAdapter,
  type LogitRules,
  type PrefixPool,
  type SamplingOptions,
  type TopLogprobs,
} from '@bowyer/models';
import type { TokenConstraint } from '@bowyer/text';
import { Lane } from './lane.js';
import { nextTokenMask, type MaskOptions } from './next-token-mask.js';
import { adjustsLogits, logitChanges, type LogitAdjustments } from './logit-bias.js';

export interface SequenceRequest {
  /** The prompt, at least one token; with `maxNewTokens` it fits into the context. */
  promptIds: readonly number[];
  maxNewTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  /** Null or not given for the base model. It stays loaded until the answer ends. */
  adapter?: LoadedAdapter | null;
  terminatorIds: readonly number[];
  adjustments?: LogitAdjustments;
  /** Rules that change logits depending on the prompt and the answer so far, such as a repetition penalty; none if not given. */
  rules?: LogitRules;
  /** The grammar of the answer, in its initial state; it advances with each token. Any text is allowed if not given. */
  constraint?: TokenConstraint | null;
  /** Whether `onTokens` also receives the most likely tokens at each position. */
  returnsTopLogprobs?: boolean;
  /** The generator of random numbers for this answer alone, so that its sample does not depend on other requests. */
  rng: Rng;
  /** Ends the answer in the next round when it is aborted. */
  signal: AbortSignal;
  /**
   * Receives tokens as they are generated, without the terminator.
   *
   * @param maskedLogprobs with a constraint: the log-probabilities among only the tokens that it allowed
   * @returns whether generation continues
   */
  onTokens: (
    ids: readonly number[],
    logprobs: readonly number[],
    topLogprobs: readonly TopLogprobs[],
    maskedLogprobs?: readonly number[],
  ) => boolean;
}

/**
 * The end of a sequence, with its reason. `stop`: a terminator was generated, `onTokens` returned false, or the grammar allowed
 * no further token; `length`: `maxNewTokens` tokens were generated; `aborted`: the signal was aborted.
 */
export interface SequenceEnd {
  finishReason: 'stop' | 'length' | 'aborted';
  /** The number of generated tokens, the terminator included. */
  newTokens: number;
  /** The number of the prompt's tokens that the model did not process, since their keys and values were in the cache. */
  cachedTokens: number;
  /** The token that ended the answer, if one did, with its log-probability in nats. */
  terminator?: { id: number; logprob: number; maskedLogprob?: number };
}

export interface SequenceBatcherOptions {
  /** The most answers that are generated at the same time; each needs memory in the key-value cache. */
  slots: number;
  /** The most answers that wait for a slot; more are refused. */
  maxQueued: number;
  /** The memory for keys and values of ended answers, reused for prompts with equal prefixes. 0 if not given: only slots are. */
  prefixCacheBytes?: number;
}

/** The error for a request that arrives when all slots are in use and the queue is full. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** The prompt tokens per round while answers are in progress: enough for efficient matrix products; more would delay answers. */
const READ_BESIDE_ANSWERS = 256;

/**
 * The number of prompt tokens that a round processes while no answer is in progress. A larger number would delay requests that
 * arrive during the round, and ONNX Runtime never returns the memory that its largest call needed.
 */
const READ_ALONE = 512;

/** The tokens of several prompts that one call scores, which bounds memory: each has logits over the vocabulary. */
const MOST_SCORED = 2048;

interface Sequence {
  request: SequenceRequest;
  /** Null while it waits in the queue. */
  place: { lane: Lane; slot: number } | null;
  newTokens: number;
  cachedTokens: number;
  /** The number of times that the answer contains each token, by its id. */
  counts: Map<number, number>;
  resolve: (end: SequenceEnd) => void;
  reject: (error: unknown) => void;
}

type EpisodeTurn = Parameters<Lane['episodes']['act']>[0][number];

type Placed = Sequence & { place: NonNullable<Sequence['place']> };

interface Scoring {
  prompts: readonly (readonly number[])[];
  adapter: LoadedAdapter | null;
  resolve: (logprobs: Float32Array[]) => void;
  reject: (error: unknown) => void;
}

interface Change {
  apply: () => Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class SequenceBatcher {
  #scorings: Scoring[] = [];
  #changes: Change[] = [];
  #waiting: Sequence[] = [];
  /** The sequences that have a slot. Those whose prompts are not fully processed are in the order in which they will be. */
  #running: Placed[] = [];
  /** Slots whose answers have ended, and which are not free yet. */
  #ended: Placed['place'][] = [];
  #rounds: Promise<void> | null = null;
  /** Whether any request has changed logits so far. From then on all requests use the model's second graph, which adds biases. */
  #biasesLogits = false;
  #appliesRules = false;
  #masksTokens = false;

  private constructor(
    private readonly model: LanguageModel,
    private readonly lanes: readonly Lane[],
    private readonly pool: PrefixPool | null,
    private readonly options: SequenceBatcherOptions,
  ) {}

  static async open(model: LanguageModel, options: SequenceBatcherOptions): Promise<SequenceBatcher> {
    const { slots, prefixCacheBytes = 0 } = options;
    const pool = prefixCacheBytes > 0 ? await model.openPrefixPool(prefixCacheBytes) : null;
    return new SequenceBatcher(model, await Lane.openAll(model, slots, pool ?? undefined), pool, options);
  }

  /** Returns the numbers of running and of queued answers. */
  get load(): { running: number; waiting: number } {
    return { running: this.#running.length, waiting: this.#waiting.length };
  }

  /** Returns the number of tokens whose keys and values the memory for prefixes can hold; 0 without such memory. */
  get prefixCacheTokens(): number {
    return this.pool?.tokens ?? 0;
  }

  /** Queues all requests, or none if the queue has too little space. @throws {QueueFullError} */
  submit(requests: readonly SequenceRequest[]): Promise<SequenceEnd>[] {
    const { maxQueued, slots } = this.options;
    if (this.#waiting.length + requests.length > maxQueued + slots - this.#running.length)
      throw new QueueFullError(`all ${slots} slots are busy and ${this.#waiting.length} requests are queued`);
    this.#biasesLogits ||= requests.some(
      ({ adjustments, returnsTopLogprobs }) => returnsTopLogprobs || adjustsLogits(adjustments),
    );
    this.#appliesRules ||= requests.some(({ rules }) => rules && changesLogits(rules));
    this.#masksTokens ||= requests.some(({ constraint }) => constraint);
    const ends = requests.map(
      (request) =>
        new Promise<SequenceEnd>((resolve, reject) => {
          const none = { place: null, newTokens: 0, cachedTokens: 0 };
          this.#waiting.push({ request, ...none, counts: new Map(), resolve, reject });
        }),
    );
    this.#begin();
    return ends;
  }

  /**
   * Computes log p(token | preceding tokens), in nats, of all tokens of each prompt except its first. It runs between two rounds,
   * without the key-value cache.
   *
   * @throws {QueueFullError}
   */
  score(prompts: readonly (readonly number[])[], adapter: LoadedAdapter | null = null): Promise<Float32Array[]> {
    const { maxQueued } = this.options;
    if (this.#scorings.length >= maxQueued + 1)
      throw new QueueFullError(`${this.#scorings.length} requests for log-probabilities are queued`);
    const scored = new Promise<Float32Array[]>((resolve, reject) =>
      this.#scorings.push({ prompts, adapter, resolve, reject }),
    );
    this.#begin();
    return scored;
  }

  /**
   * Changes the model's weights while no answer is in progress, so that each answer is generated by one version of the weights.
   * Answers that have not begun wait, and keys and values of the old weights are not used again.
   */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    const changed = new Promise<void>((resolve, reject) => this.#changes.push({ apply, resolve, reject }));
    this.#begin();
    return changed;
  }

  #begin(): void {
    this.#rounds ??= this.#play();
  }

  /** Waits until every answer has ended, and frees the key-value caches. */
  async close(): Promise<void> {
    await this.#rounds;
    for (const { episodes } of this.lanes) await episodes.close();
    await this.pool?.close();
  }

  async #play(): Promise<void> {
    // A later turn of the event loop, so that requests of the same turn are processed in one batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    try {
      while (this.#hasWork) await this.#round();
    } finally {
      this.#rounds = null; // no `await` follows the last check for requests, so that no request is missed
    }
  }

  get #hasWork(): boolean {
    const lists = [this.#waiting, this.#running, this.#scorings, this.#changes, this.#ended];
    return lists.some(({ length }) => length > 0);
  }

  async #round(): Promise<void> {
    for (const scoring of this.#scorings.splice(0)) await this.#score(scoring);
    this.#dropAborted();
    await this.#giveBack();
    if (this.#running.length === 0) for (const change of this.#changes.splice(0)) await this.#change(change);
    while (this.#changes.length === 0 && this.#running.length < this.options.slots && this.#waiting.length > 0)
      this.#admit(this.#waiting.shift()!);
    for (const lane of this.lanes) lane.shorten();
    for (const group of this.#groups()) await this.#advance(group);
    await this.#readPrompts();
  }

  async #score({ prompts, adapter, resolve, reject }: Scoring): Promise<void> {
    const examples = prompts.map((prompt) => {
      const [ids, targets] = [Int32Array.from(prompt.slice(0, -1)), Int32Array.from(prompt.slice(1))];
      return { ids, targets, weights: new Float32Array(ids.length).fill(1) };
    });
    try {
      const scored = examples.filter(({ ids }) => ids.length > 0);
      const options = { maxTokens: MOST_SCORED, adapter };
      const rows = scored.length > 0 ? await this.model.logprobs(scored, options) : [];
      resolve(examples.map(({ ids }) => (ids.length > 0 ? rows.shift()! : new Float32Array(0))));
    } catch (error) {
      reject(error);
    }
  }

  async #change({ apply, resolve, reject }: Change): Promise<void> {
    try {
      await apply();
      resolve();
    } catch (error) {
      reject(error);
    } finally {
      for (const lane of this.lanes) lane.forget();
      this.pool?.clear();
    }
  }

  #dropAborted(): void {
    for (const sequence of [...this.#running, ...this.#waiting])
      if (sequence.request.signal.aborted) this.#end(sequence, 'aborted');
  }

  async #giveBack(): Promise<void> {
    const ended = this.#ended.splice(0);
    for (const lane of new Set(ended.map((place) => place.lane)))
      await lane.giveBack(ended.filter((place) => place.lane === lane).map(({ slot }) => slot));
  }

  /** Assigns a sequence to a slot, in the lane with the shortest contexts among those whose contexts hold prompt and answer. */
  #admit(sequence: Sequence): void {
    const { promptIds, maxNewTokens, adapter = null } = sequence.request;
    const needed = Math.min(promptIds.length + maxNewTokens, this.model.contextLength);
    const lane = this.lanes.find(({ positions }) => positions >= needed)!;
    const slot = lane.take(promptIds, adapter);
    this.#running.push(Object.assign(sequence, { place: { lane, slot }, cachedTokens: lane.episodes.length(slot) }));
  }

  /** Groups sequences for one call of the model: of one lane, and of equal sampling settings if the model cannot mix them. */
  #groups(): Placed[][] {
    const groups = new Map<string, Placed[]>();
    for (const sequence of this.#running) {
      if (sequence.newTokens === 0) continue;
      const key = this.#kind(sequence);
      groups.set(key, [...(groups.get(key) ?? []), sequence]);
    }
    return [...groups.values()];
  }

  /** Returns a key that is equal for sequences whose next tokens one call of the model can generate. */
  #kind({ request: { sampling, terminatorIds }, place: { lane } }: Placed): string {
    return JSON.stringify([lane.positions, ...(lane.episodes.mixesTurns ? [] : [sampling, terminatorIds])]);
  }

  /**
   * Processes prompts in one call of the model. The call either completes the next prompts in the queue, and samples the first
   * token of each answer, or processes a chunk of a long prompt, whose next chunk follows after the other prompts.
   */
  async #readPrompts(): Promise<void> {
    const unread = this.#running.filter(({ newTokens }) => newTokens === 0);
    if (unread.length === 0) return;
    let left = unread.length < this.#running.length ? READ_BESIDE_ANSWERS : READ_ALONE;
    const [first] = unread;
    const group: Placed[] = [];
    for (const sequence of unread) {
      if (this.#kind(sequence) !== this.#kind(first)) continue;
      left -= sequence.request.promptIds.length - this.#cachedTokens(sequence);
      if (left < 0) break;
      group.push(sequence);
    }
    if (group.length > 0) await this.#advance(group);
    else await this.#readPiece(first, -left);
  }

  #cachedTokens({ request: { promptIds, adapter = null }, place: { lane, slot } }: Placed): number {
    return Math.max(lane.episodes.length(slot), lane.episodes.cachedTokens(slot, promptIds, adapter));
  }

  /** @param rest number of the prompt's last tokens that are left for later chunks */
  async #readPiece(sequence: Placed, rest: number): Promise<void> {
    const { request, place } = sequence;
    const { episodes } = place.lane;
    const tokens = request.promptIds.slice(episodes.length(place.slot), request.promptIds.length - rest);
    try {
      const [read] = await episodes.read(
        [{ slot: place.slot, tokens, adapter: request.adapter }],
        this.#sampling(request),
      );
      sequence.cachedTokens += tokens.length - read;
      this.#running = [...this.#running.filter((other) => other !== sequence), sequence];
    } catch (error) {
      this.#fail([sequence], error);
    }
  }

  #masking({ maxNewTokens, terminatorIds }: SequenceRequest, newTokens: number): MaskOptions {
    return { left: maxNewTokens - newTokens, terminatorIds, vocabSize: this.model.tokenizer.vocabSize };
  }

  #sampling({ sampling, terminatorIds }: SequenceRequest): SamplingOptions {
    return {
      ...sampling,
      terminatorIds,
      biasesLogits: this.#biasesLogits,
      appliesRules: this.#appliesRules,
      masksTokens: this.#masksTokens,
      maxNewTokens: 1,
    };
  }

  async #advance(given: readonly Placed[]): Promise<void> {
    const group: Placed[] = [];
    const turns: EpisodeTurn[] = [];
    for (const sequence of given)
      this.#orFail(sequence, () => {
        turns.push(this.#turnOf(sequence));
        group.push(sequence);
      });
    if (group.length === 0) return;
    const [{ request, place }] = group;
    try {
      const utterances = await place.lane.episodes.act(turns, this.#sampling(request));
      group.forEach((sequence, i) => {
        if (sequence.newTokens === 0) sequence.cachedTokens += turns[i].tokens.length - utterances[i].readTokens;
        this.#orFail(sequence, () => this.#take(sequence, utterances[i]));
      });
    } catch (error) {
      this.#fail(group, error);
    }
  }

  /** An error, such as that of a grammar that takes too much work, ends only this answer. */
  #orFail(sequence: Placed, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail([sequence], error);
    }
  }

  #turnOf({ place: { slot, lane }, request: own, newTokens, counts }: Placed): EpisodeTurn {
    const { episodes } = lane;
    return {
      slot,
      ...(episodes.mixesTurns && { sampling: { ...own.sampling, terminatorIds: own.terminatorIds } }),
      adapter: own.adapter,
      rng: own.rng,
      logitBias: logitChanges(own.adjustments, counts),
      newTokens,
      ...(this.#appliesRules && { rules: own.rules }),
      tokenMask: own.constraint ? nextTokenMask(own.constraint, this.#masking(own, newTokens)) : null,
      tokens: newTokens === 0 ? own.promptIds.slice(episodes.length(slot)) : [],
    };
  }

  #fail(group: readonly Placed[], error: unknown): void {
    for (const sequence of group) {
      const { lane, slot } = sequence.place;
      lane.episodes.truncate(slot, 0); // the contents of the slot's cache are unknown after an error
      this.#end(sequence, error);
    }
  }

  #take(sequence: Sequence, utterance: GeneratedUtterance): void {
    const { logprobs, maskedLogprobs, topLogprobs = [] } = utterance;
    const ids = spokenIds(utterance);
    const { maxNewTokens, constraint, onTokens, signal } = sequence.request;
    const generated = ids.slice(0, maxNewTokens - sequence.newTokens);
    const terminated = utterance.terminated && sequence.newTokens + ids.length < maxNewTokens;
    sequence.newTokens += generated.length + Number(terminated);
    for (const id of generated) {
      sequence.counts.set(id, (sequence.counts.get(id) ?? 0) + 1);
      constraint?.accept(id);
    }
    const count = generated.length;
    const masked = constraint ? maskedLogprobs : undefined;
    const wantsMore =
      signal.aborted ||
      onTokens(generated, logprobs.slice(0, count), topLogprobs.slice(0, count), masked?.slice(0, count));
    const isComplete = constraint?.mustEnd && sequence.request.terminatorIds.length === 0;
    const end = {
      id: utterance.ids.at(-1)!,
      logprob: logprobs[ids.length],
      ...(masked && { maskedLogprob: masked[ids.length] }),
    };
    if (signal.aborted) this.#end(sequence, 'aborted');
    else if (terminated && wantsMore) this.#end(sequence, 'stop', end);
    else if (terminated || !wantsMore || isComplete) this.#end(sequence, 'stop');
    else if (sequence.newTokens >= maxNewTokens) this.#end(sequence, 'length');
  }

  /** @param how its finish reason, or the error that ended it */
  #end(sequence: Sequence, how: unknown, terminator?: SequenceEnd['terminator']): void {
    this.#waiting = this.#waiting.filter((other) => other !== sequence);
    this.#running = this.#running.filter((other) => other !== sequence);
    if (sequence.place) this.#ended.push(sequence.place);
    const { newTokens, cachedTokens } = sequence;
    if (how === 'stop' || how === 'length' || how === 'aborted')
      sequence.resolve({ finishReason: how, newTokens, cachedTokens, ...(terminator && { terminator }) });
    else sequence.reject(how);
  }
}
