// From trajectories and demonstrations to the token examples that a language model trains on.
import { Type } from '@sinclair/typebox';
import type { Demonstration, DemonstrationTurn, TokenSegment, Trajectory, UtteranceTokens } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import { segmentsOf, SlotContext, type TurnTokens } from '../rollout/turn-tokens.js';
import { segmentExamples } from './segment-examples.js';

export const scoreTerminatorKey = {
  score_terminator: Type.Boolean({
    description: 'train the token that ends an utterance too; false: as in ArCHer',
  }),
};

/** Which of an episode's tokens are scored. */
export interface ScoredParts {
  scoreTerminator: boolean;
  observations?: { weight: number; maskedIds: ReadonlySet<number> };
}

/** One utterance of one trajectory, and the weight of its log-probability in the loss. */
export interface WeightedUtterance {
  trajectory: { segments: readonly TokenSegment[] };
  turn: number;
  weight: number;
}

/**
 * Packs utterances so that the model reads each segment once, however many of its utterances take part:
 * loss = Σ weight · (−Σ_t log π(a_t | s, a_<t)). An utterance given twice counts twice.
 *
 * @param options.scoreTerminator whether the token that ended an utterance is scored too; ArCHer's code leaves it out
 * @param options.observations weight of −log p of the tokens that these utterances' segments have beside them, but of those that
 *   the policy can never write; if left out, they are not scored
 */
export function tokenExamples(utterances: readonly WeightedUtterance[], options: ScoredParts): TokenExample[] {
  const weights = new Map<{ segments: readonly TokenSegment[] }, Map<number, number>>();
  for (const { trajectory, turn, weight } of utterances) {
    const turns = weights.get(trajectory) ?? new Map<number, number>();
    weights.set(trajectory, turns.set(turn, (turns.get(turn) ?? 0) + weight));
  }
  return [...weights].flatMap(([{ segments }, turns]) => {
    const scoring = { ...options, weightOf: ({ turn }: UtteranceTokens) => turns.get(turn) };
    return segments.flatMap((segment) => segmentExamples(segment, scoring).map(({ example }) => example));
  });
}

/**
 * A demonstration as an episode of a dataset. Rewards that it does not have are NaN.
 *
 * @param room most tokens that stand before an utterance: the player's context loses older ones. All, if not given
 */
export function demonstrationTrajectory(
  demonstration: Demonstration,
  {
    tokenizer,
    terminatorId,
    episode,
    room,
  }: { tokenizer: Tokenizer; terminatorId: number; episode: number; room?: number },
): Trajectory {
  const { opening, turns, won } = demonstration;
  let text = opening;
  const transitions = turns.map(({ action, reply, nextObservation, reward = NaN, ...end }, turn) => {
    const observation = text;
    text = nextObservation ?? text + action + reply;
    const { terminated = turn === turns.length - 1, truncated = false } = end;
    return { observation, action, reward, nextObservation: text, terminated, truncated };
  });
  const segments = demonstrationSegments(demonstration, tokenizer, terminatorId, room);
  const infos = transitions.map((_, turn) => (won !== undefined && turn === turns.length - 1 ? { won } : {}));
  return { episode, seed: 0, transitions, infos, segments };
}

/** Tokenises a demonstration piece by piece, and cuts its contexts, as the player does during a rollout. */
export function demonstrationSegments(
  { opening, turns }: Demonstration,
  tokenizer: Pick<Tokenizer, 'encode'>,
  terminatorId: number,
  room = Infinity,
): TokenSegment[] {
  const context = new SlotContext();
  let before: DemonstrationTurn | null = null;
  const tokens: TurnTokens[] = [];
  for (const turn of turns) {
    if (before?.nextObservation === undefined && before !== null) context.extend(tokenizer.encode(before.reply));
    else context.restart(tokenizer.encode(before?.nextObservation ?? opening));
    const ids = tokenizer.encode(turn.action);
    tokens.push(context.utter({ ids, terminatorId, logprobs: new Float32Array(0), contextTokens: room }));
    before = turn;
  }
  const segments = segmentsOf(tokens);
  for (const utterance of segments.flatMap(({ utterances }) => utterances))
    if (turns[utterance.turn].slip) utterance.slip = true;
  return segments;
}
