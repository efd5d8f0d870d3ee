// How an episode becomes the tokens that a policy reads and writes: as one growing text (text-dialogue.ts), or through a chat
// template (chat-dialogue.ts). Sampled tokens are kept as sampled; they are never tokenised a second time.
import type { Utterance } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { ActRequest } from './player.js';
import type { TurnTokens } from './turn-tokens.js';

export const actionChoices = ['free', 'scored', 'constrained', 'likelihood', 'likelihood_per_character'] as const;
export type ActionChoice = (typeof actionChoices)[number];

/** One format for episodes. */
export interface Dialogues {
  /** Tokens that end an utterance, besides those of the sampling options. */
  readonly terminatorIds: readonly number[];
  /** How an utterance is found: written freely (if not given), or chosen among the valid actions; see choice-player.ts. */
  readonly actionChoice?: ActionChoice;
  /** Opens the dialogue of one slot, episode after episode. */
  open(): Dialogue;
}

/** A turn's observation; see `ActRequest`. */
export type Observed = Pick<ActRequest, 'turn' | 'observation' | 'ids'>;

/** The text that the model has read and written in one slot. */
export interface Dialogue {
  /**
   * Brings the slot up to a turn's observation.
   *
   * @param cached the slot's tokens so far
   * @returns how many of them stay, and the tokens after these
   */
  advance(request: Observed, cached: readonly number[]): { keep: number; tokens: number[] };
  /** Returns the utterance as the environment and the critic read it. */
  actionOf(utterance: Utterance): string;
  /** Adds the utterance to the context. @param contextTokens how many tokens before it the sampler saw */
  decide(utterance: Utterance, contextTokens: number): Required<Decision<TurnTokens>>;
}
