// How an episode becomes the tokens that a policy reads and writes: as one text that goes on (text-dialogue.ts), or through a
// chat template (chat-dialogue.ts). What was sampled is kept as it was sampled; nothing of it is tokenised again.
import type { TokenSegment } from '@bowyer/core';
import type { Utterance } from '@bowyer/models';
import type { ReadyTurn } from './player.js';

/** One way to write episodes. */
export interface Dialogues {
  /** Tokens that end an utterance, beside those that the sampling names. */
  readonly terminatorIds: readonly number[];
  /** For one slot, episode after episode. */
  open(): Dialogue;
}

/** What the model has read and written in one slot. */
export interface Dialogue {
  /** Of the episode under way. */
  readonly segments: TokenSegment[];
  /**
   * Brings the slot up to a turn's observation.
   *
   * @param held the slot's tokens so far
   * @returns how many of them stay, and what comes after these
   */
  advance(turn: ReadyTurn, held: readonly number[]): { keep: number; tokens: number[] };
  /** What was said as the environment and the critic read it. */
  actionOf(utterance: Utterance): string;
  /** Notes what the agent said. @returns its action */
  record(turn: number, utterance: Utterance): string;
}

/** Puts an utterance where it was said. A context cut on the left starts a new segment: scoring must see what the sampler saw. */
export function recordUtterance(
  segments: TokenSegment[],
  turn: number,
  { ids, terminatorId, logprobs, contextTokens }: Utterance,
): void {
  const context = segments.at(-1)!.ids;
  if (contextTokens < context.length)
    segments.push({ ids: context.slice(context.length - contextTokens), utterances: [] });
  const segment = segments.at(-1)!;
  segment.utterances.push({ turn, start: segment.ids.length, ids, terminatorId, logprobs: Array.from(logprobs) });
  segment.ids.push(...ids);
}
