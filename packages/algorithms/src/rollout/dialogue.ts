// Declares how an episode becomes the tokens that a policy reads and writes: as one growing text (text-dialogue.ts), or with a chat
// template (chat-dialogue.ts). Sampled tokens are kept and never tokenized again.
import type { Utterance } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { ActRequest } from './player.js';
import type { TurnTokens } from './turn-tokens.js';

/** The ways to choose an action: `free` writes any text; the others choose among the valid actions (choice-player.ts). */
export const actionChoices = ['free', 'scored', 'constrained', 'likelihood', 'likelihood_per_character'] as const;
export type ActionChoice = (typeof actionChoices)[number];

/** Opens dialogues, which convert episodes into tokens. */
export interface Dialogues {
  /** Tokens that end an utterance, besides those of the sampling options. */
  readonly terminatorIds: readonly number[];
  /** How an utterance is generated: freely (if not given), or by a choice among the valid actions; see choice-player.ts. */
  readonly actionChoice?: ActionChoice;
  /** Opens a dialogue for one of the slots; each slot plays one episode after another. */
  open(): Dialogue;
}

/** A turn's observation; see `ActRequest`. */
export type Observed = Pick<ActRequest, 'turn' | 'observation' | 'ids'>;

/** The dialogue of a slot's current episode: the text that the model has read and written. */
export interface Dialogue {
  /** Returns the number of cached tokens to keep, and the tokens after them. `cached`: those in the slot's KV cache. */
  advance(request: Observed, cached: readonly number[]): { keep: number; tokens: number[] };
  /** Returns the utterance as the text that the environment and the critic read. */
  actionOf(utterance: Utterance): string;
  /** `contextTokens`: number of tokens before the utterance that the sampler saw. */
  decide(utterance: Utterance, contextTokens: number): Required<Decision<TurnTokens>>;
}
