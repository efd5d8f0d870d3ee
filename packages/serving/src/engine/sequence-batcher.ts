// Continuous batching: each answer has a slot of the key-value cache, and all slots advance together, a few tokens a round.
// Requests that arrive during a round join the next one; a prompt that shares a prefix with a free slot's content reuses it.
import { maximum, type Rng } from '@bowyer/core';
import {
  commonPrefix,
  changesLogits,
  type Episodes,
  type LanguageModel,
  type LogitRules,
  type SamplingOptions,
  type TopLogprobs,
  type Utterance,
} from '@bowyer/models';
import { adjustsLogits, logitChanges, type LogitAdjustments } from './logit-bias.js';

export interface SequenceRequest {
  /** At least one; with `maxNewTokens` they fit into the context. */
  promptIds: readonly number[];
  maxNewTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  terminatorIds: readonly number[];
  /** Changes of logits; none if not given. */
  adjustments?: LogitAdjustments;
  /** The changes that prompt and answer so far make to logits; none if not given. */
  rules?: LogitRules;
  /** Whether the most likely tokens are returned beside the generated ones. */
  returnsTopLogprobs?: boolean;
  /** The answer's own stream: what is sampled does not depend on other requests. */
  rng: Rng;
  /** Ends the answer as soon as it is noticed. */
  signal: AbortSignal;
  /** Called with tokens as they are generated, without the terminator. @returns whether more are wanted */
  onTokens: (ids: readonly number[], logprobs: readonly number[], topLogprobs: readonly TopLogprobs[]) => boolean;
}

/** `stop`: a terminator, or no more was wanted; `length`: maxNewTokens were generated; `aborted`: by the signal. */
export interface SequenceEnd {
  finishReason: 'stop' | 'length' | 'aborted';
  /** The terminator included. */
  newTokens: number;
  /** The token that ended the answer, if one did; its log-probability in nats. */
  terminator?: { id: number; logprob: number };
}

export interface SequenceBatcherOptions {
  /** Answers at the same time; each takes its share of the cache. */
  slots: number;
  /** Answers that wait for a slot; more are refused. */
  maxQueued: number;
}

/** Everything is busy and the queue is full. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** Tokens of a round: more delay new requests, fewer cost more calls. */
const ROUND = 8;

interface Sequence {
  request: SequenceRequest;
  slot: number;
  newTokens: number;
  /** How often each token was generated. */
  counts: Map<number, number>;
  resolve: (end: SequenceEnd) => void;
  reject: (error: unknown) => void;
}

/** Prompts whose tokens are to be scored. */
interface Scoring {
  prompts: readonly (readonly number[])[];
  resolve: (logprobs: Float32Array[]) => void;
  reject: (error: unknown) => void;
}

/** A change of the model's weights. */
interface Change {
  apply: () => Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class SequenceBatcher {
  readonly #free: number[];
  #scorings: Scoring[] = [];
  #changes: Change[] = [];
  #waiting: Sequence[] = [];
  #running: Sequence[] = [];
  #rounds: Promise<void> | null = null;
  /** Once a request has asked for it: another program then, which serves the plain requests too. */
  #biasesLogits = false;
  #appliesRules = false;

  private constructor(
    private readonly model: LanguageModel,
    private readonly episodes: Episodes,
    private readonly options: SequenceBatcherOptions,
  ) {
    this.#free = Array.from({ length: options.slots }, (_, slot) => slot);
  }

  static async open(model: LanguageModel, options: SequenceBatcherOptions): Promise<SequenceBatcher> {
    return new SequenceBatcher(model, await model.openEpisodes({ slots: options.slots, sharesSampler: true }), options);
  }

  /** Numbers of running and of queued answers. */
  get load(): { running: number; waiting: number } {
    return { running: this.#running.length, waiting: this.#waiting.length };
  }

  /** All of them or none. @throws {QueueFullError} */
  submit(requests: readonly SequenceRequest[]): Promise<SequenceEnd>[] {
    const { maxQueued, slots } = this.options;
    if (this.#waiting.length + requests.length > maxQueued + this.#free.length)
      throw new QueueFullError(`all ${slots} slots are busy and ${this.#waiting.length} requests are queued`);
    this.#biasesLogits ||= requests.some(
      ({ adjustments, returnsTopLogprobs }) => returnsTopLogprobs || adjustsLogits(adjustments),
    );
    this.#appliesRules ||= requests.some(({ rules }) => rules && changesLogits(rules));
    const ends = requests.map(
      (request) =>
        new Promise<SequenceEnd>((resolve, reject) => {
          this.#waiting.push({ request, slot: -1, newTokens: 0, counts: new Map(), resolve, reject });
        }),
    );
    this.#begin();
    return ends;
  }

  /**
   * log p(token | those before it) of each prompt's tokens after the first, in nats: between two rounds, apart from the cache.
   *
   * @throws {QueueFullError}
   */
  score(prompts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const { maxQueued } = this.options;
    if (this.#scorings.length >= maxQueued + 1)
      throw new QueueFullError(`${this.#scorings.length} requests for log-probabilities are queued`);
    const scored = new Promise<Float32Array[]>((resolve, reject) => this.#scorings.push({ prompts, resolve, reject }));
    this.#begin();
    return scored;
  }

  /**
   * Changes the model's weights when no answer is in progress, so that each answer is of one set of weights; answers that have not
   * begun wait for it, and nothing that was computed before is used again.
   */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    const changed = new Promise<void>((resolve, reject) => this.#changes.push({ apply, resolve, reject }));
    this.#begin();
    return changed;
  }

  #begin(): void {
    this.#rounds ??= this.#play().finally(() => (this.#rounds = null));
  }

  /** Ends once every answer has ended; then the cache is freed. */
  async close(): Promise<void> {
    await this.#rounds;
    await this.episodes.close();
  }

  async #play(): Promise<void> {
    // Requests of the same turn of the event loop begin together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length + this.#running.length + this.#scorings.length + this.#changes.length > 0) {
      for (const scoring of this.#scorings.splice(0)) await this.#score(scoring);
      this.#dropAborted();
      if (this.#running.length === 0) for (const change of this.#changes.splice(0)) await this.#change(change);
      while (this.#changes.length === 0 && this.#free.length > 0 && this.#waiting.length > 0)
        this.#admit(this.#waiting.shift()!);
      for (const group of this.#groups()) await this.#advance(group);
    }
  }

  async #score({ prompts, resolve, reject }: Scoring): Promise<void> {
    const examples = prompts.map((prompt) => {
      const [ids, targets] = [Int32Array.from(prompt.slice(0, -1)), Int32Array.from(prompt.slice(1))];
      return { ids, targets, weights: new Float32Array(ids.length).fill(1) };
    });
    try {
      const scored = examples.filter(({ ids }) => ids.length > 0);
      const rows = scored.length > 0 ? await this.model.logprobs(scored, { maxTokens: this.model.contextLength }) : [];
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
      for (const slot of this.#free) this.episodes.truncate(slot, 0);
    }
  }

  #dropAborted(): void {
    for (const sequence of [...this.#running, ...this.#waiting])
      if (sequence.request.signal.aborted) this.#end(sequence, 'aborted');
  }

  /** Into the free slot with the longest matching prefix; among equals the least recently used one. */
  #admit(sequence: Sequence): void {
    const { promptIds } = sequence.request;
    const remembered = this.#free.map((slot) => commonPrefix(this.episodes.context(slot), promptIds));
    const best = remembered.indexOf(maximum(remembered));
    [sequence.slot] = this.#free.splice(best, 1);
    this.episodes.truncate(sequence.slot, remembered[best]);
    this.#running.push(sequence);
  }

  /**
   * Sequences that one call may move on: sampled alike, as many tokens at once. Prompts are read apart, since padding the
   * others to their length would cost more. What a sequence is grouped by depends on itself alone, so that its random
   * numbers do too.
   */
  #groups(): Sequence[][] {
    const groups = new Map<string, Sequence[]>();
    for (const sequence of this.#running) {
      const { sampling, terminatorIds } = sequence.request;
      const key = JSON.stringify([this.#stride(sequence), sequence.newTokens === 0, sampling, terminatorIds]);
      groups.set(key, [...(groups.get(key) ?? []), sequence]);
    }
    return [...groups.values()];
  }

  /** Tokens to ask for: one after the prompt, then a power of two that the context has room for. */
  #stride({ request, slot, newTokens }: Sequence): number {
    if (newTokens === 0 || adjustsLogits(request.adjustments, 'penalties')) return 1; // each token changes the penalties of the next
    const left = request.maxNewTokens - newTokens;
    const room = this.model.contextLength - this.episodes.length(slot) + 1; // the last new token is never fed
    let stride = ROUND;
    while (stride / 2 >= left || stride > room) stride /= 2;
    return stride;
  }

  async #advance(group: readonly Sequence[]): Promise<void> {
    const [{ request }] = group;
    try {
      const utterances = await this.episodes.act(
        group.map(({ slot, request: { promptIds, rng, adjustments, rules }, newTokens, counts }) => ({
          slot,
          rng,
          logitBias: logitChanges(adjustments, counts),
          newTokens,
          ...(this.#appliesRules && { rules }),
          tokens: newTokens === 0 ? promptIds.slice(this.episodes.length(slot)) : [],
        })),
        {
          ...request.sampling,
          terminatorIds: request.terminatorIds,
          biasesLogits: this.#biasesLogits,
          appliesRules: this.#appliesRules,
          maxNewTokens: this.#stride(group[0]),
        },
      );
      group.forEach((sequence, i) => this.#take(sequence, utterances[i]));
    } catch (error) {
      for (const sequence of group) {
        this.episodes.truncate(sequence.slot, 0); // the content of its cache is no longer certain
        this.#end(sequence, error);
      }
    }
  }

  #take(sequence: Sequence, { ids, logprobs, topLogprobs = [], terminatorId }: Utterance): void {
    const { maxNewTokens, onTokens, signal } = sequence.request;
    const generated = ids.slice(0, maxNewTokens - sequence.newTokens);
    const terminated = terminatorId !== null && sequence.newTokens + ids.length < maxNewTokens;
    sequence.newTokens += generated.length + Number(terminated);
    for (const id of generated) sequence.counts.set(id, (sequence.counts.get(id) ?? 0) + 1);
    const logprobsOfTokens = [
      [...logprobs.subarray(0, generated.length)],
      topLogprobs.slice(0, generated.length),
    ] as const;
    const wantsMore = signal.aborted || onTokens(generated, ...logprobsOfTokens);
    if (signal.aborted) this.#end(sequence, 'aborted');
    else if (terminated && wantsMore) this.#end(sequence, 'stop', { id: terminatorId, logprob: logprobs[ids.length] });
    else if (terminated || !wantsMore) this.#end(sequence, 'stop');
    else if (sequence.newTokens >= maxNewTokens) this.#end(sequence, 'length');
  }

  /** @param how its finish reason, or what broke it */
  #end(sequence: Sequence, how: unknown, terminator?: SequenceEnd['terminator']): void {
    this.#waiting = this.#waiting.filter((other) => other !== sequence);
    this.#running = this.#running.filter((other) => other !== sequence);
    if (sequence.slot >= 0) this.#free.push(sequence.slot);
    if (how === 'stop' || how === 'length' || how === 'aborted')
      sequence.resolve({ finishReason: how, newTokens: sequence.newTokens, ...(terminator && { terminator }) });
    else sequence.reject(how);
  }
}
