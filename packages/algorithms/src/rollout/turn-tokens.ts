// Records the tokens of an episode by turn, exactly as the policy read and wrote them, and joins them into segments.
import { spokenIds, type TokenSegment, type Utterance } from '@bowyer/core';
import { commonPrefix } from '@bowyer/models';

/** The tokens of one turn. They are stored with the turn's action, so that an episode's segments can be built from its turns. */
export interface TurnTokens extends Utterance {
  /** Whether `read` follows the tokens of the previous turn; if false, the context begins with `read`. */
  continues: boolean;
  /** The new tokens of this turn before the utterance: the observation, or the text after the last action. */
  read: number[];
}

/**
 * Joins turns into segments, each a sequence of tokens that the policy read and wrote without a break.
 *
 * @param turns those of one episode, in order; undefined for turns without tokens
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

/** Throws if a log-probability is NaN, as after a much too large step. */
export function refuseBrokenPolicy(logprobs: readonly number[] | Float32Array): void {
  if (!logprobs.some((logprob) => Number.isNaN(logprob))) return;
  throw new Error(
    'the policy has NaN as the log-probability of a token that it says: its weights are no longer usable numbers\n' +
      '  begin again in another folder with a smaller learning rate: algorithm.actor.lr, or warm_start.lr where the first rollout fails',
  );
}

/** Records the context of a slot's episode as the policy sees it, from the first token of the current segment on. */
export class SlotContext {
  #ids: number[] = [];
  #read: number[] = [];
  #continues = false;

  restart(ids: readonly number[]): void {
    this.#ids = [...ids];
    this.#read = [...ids];
    this.#continues = false;
  }

  /** Replaces the last `count` tokens by others, in a new segment. */
  rewrite(count: number, ids: readonly number[]): void {
    this.restart([...this.#ids.slice(0, this.#ids.length - count), ...ids]);
  }

  extend(ids: readonly number[]): void {
    for (const id of ids) this.#ids.push(id);
    this.#read = [...ids];
    this.#continues = true;
  }

  /**
   * If the sampler saw only the last `contextTokens` of the context, that end begins a new segment, since scoring must use the
   * same context.
   */
  utter({ ids, terminated, logprobs, tokenMasks }: Utterance, contextTokens: number): TurnTokens {
    refuseBrokenPolicy(logprobs);
    if (contextTokens < this.#ids.length) this.restart(this.#ids.slice(this.#ids.length - contextTokens));
    const utterance = { ids, terminated, logprobs, ...(tokenMasks && { tokenMasks }) };
    for (const id of spokenIds(utterance)) this.#ids.push(id);
    return { continues: this.#continues, read: this.#read, ...utterance };
  }
}

/** Counts the leading tokens of a prompt that are in a slot's cache; the prompt's last token never counts, since generation continues from it. */
export const sharedPrefix = (cached: readonly number[], prompt: readonly number[]): number =>
  Math.min(commonPrefix(cached, prompt), Math.max(0, prompt.length - 1));
