// The tokens of an episode, turn by turn, exactly as the policy read and wrote them.
import { spokenIds, type TokenSegment, type Utterance } from '@bowyer/core';

/** The tokens of one turn. They travel with the turn's action, so that an episode's segments follow from its turns alone. */
export interface TurnTokens extends Utterance {
  /** True: `read` follows the tokens of the turn before. False: the context begins with `read`. */
  continues: boolean;
  /** The tokens that were new to the policy in this turn: the observation, or the text after the last action. */
  read: number[];
}

/**
 * Joins turns into segments of tokens.
 *
 * @param turns of one episode, in order; undefined where a player gives no tokens
 */
export function segmentsOf(turns: readonly (TurnTokens | undefined)[]): TokenSegment[] {
  const segments: TokenSegment[] = [];
  turns.forEach((tokens, turn) => {
    if (tokens === undefined) return;
    const { continues, read, ...utterance } = tokens;
    if (!continues) segments.push({ ids: [], utterances: [] });
    const segment = segments.at(-1)!;
    for (const id of read) segment.ids.push(id);
    segment.utterances.push({ turn, start: segment.ids.length, ...utterance });
    for (const id of spokenIds(utterance)) segment.ids.push(id);
  });
  return segments;
}

/** Checks the log-probabilities of what a policy says. @throws where one is NaN, as after a step that was far too large */
export function refuseBrokenPolicy(logprobs: readonly number[] | Float32Array): void {
  if (!logprobs.some((logprob) => Number.isNaN(logprob))) return;
  throw new Error(
    'the policy has NaN as the log-probability of a token that it says: its weights are no longer usable numbers\n' +
      '  begin again in another folder with a smaller learning rate: lm_lr, or warm_start.lr where the first rollout fails',
  );
}

/** The context of one slot as the policy sees it, from the first token of the segment under way. */
export class SlotContext {
  #ids: number[] = [];
  #read: number[] = [];
  #continues = false;

  /** Replaces the context. */
  restart(ids: readonly number[]): void {
    this.#ids = [...ids];
    this.#read = [...ids];
    this.#continues = false;
  }

  /** Replaces the last tokens: a new segment begins as the one before. */
  rewrite(count: number, ids: readonly number[]): void {
    this.restart([...this.#ids.slice(0, this.#ids.length - count), ...ids]);
  }

  /** Extends the context. */
  extend(ids: readonly number[]): void {
    for (const id of ids) this.#ids.push(id);
    this.#read = [...ids];
    this.#continues = true;
  }

  /**
   * Adds what an utterance says to the context. If the sampler saw only the end of the context, that end starts a new segment: scoring
   * must see what it saw.
   *
   * @param contextTokens how many tokens before the utterance the sampler saw
   */
  utter({ ids, terminated, logprobs, tokenMasks }: Utterance, contextTokens: number): TurnTokens {
    refuseBrokenPolicy(logprobs);
    if (contextTokens < this.#ids.length) this.restart(this.#ids.slice(this.#ids.length - contextTokens));
    const utterance = { ids, terminated, logprobs, ...(tokenMasks && { tokenMasks }) };
    for (const id of spokenIds(utterance)) this.#ids.push(id);
    return { continues: this.#continues, read: this.#read, ...utterance };
  }
}

/** Counts how many tokens of a prompt a slot has read already; at least the last one is left to continue from. */
export function sharedPrefix(cached: readonly number[], prompt: readonly number[]): number {
  const longest = Math.min(cached.length, prompt.length - 1);
  let length = 0;
  while (length < longest && cached[length] === prompt[length]) length++;
  return length;
}
