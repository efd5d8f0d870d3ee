// From trajectories and demonstrations to the token examples that a language model trains on.
import { Type } from '@sinclair/typebox';
import type { Demonstration, DemonstrationTurn, TokenSegment, Trajectory, UtteranceTokens } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';
import { segmentsOf, SlotContext, type TurnTokens } from '../rollout/turn-tokens.js';

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
  return [...weights].flatMap(([{ segments }, turns]) =>
    segments.flatMap((segment) => segmentExample(segment, turns, options) ?? []),
  );
}

function segmentExample(
  segment: TokenSegment,
  turns: Map<number, number>,
  { scoreTerminator, observations }: ScoredParts,
): TokenExample | undefined {
  const scoredIds = ({ ids, terminatorId }: UtteranceTokens) =>
    scoreTerminator && terminatorId !== null ? [...ids, terminatorId] : ids;
  const scored = segment.utterances.filter((utterance) => turns.has(utterance.turn) && scoredIds(utterance).length > 0);
  if (scored.length === 0) return undefined;
  const last = scored.at(-1)!;
  // The last scored token is only a target; no token is predicted from it.
  const length = last.start + scoredIds(last).length - 1;
  const ids = Int32Array.from(segment.ids.slice(0, length));
  const targets = new Int32Array(length);
  const weights = new Float32Array(length);
  if (observations) {
    targets.set(segment.ids.slice(1, length + 1)); // those of utterances are overwritten below
    targets.forEach((id, i) => (weights[i] = observations.maskedIds.has(id) ? 0 : observations.weight));
  }
  for (const { start, ids: unscored } of segment.utterances.filter((utterance) => !scored.includes(utterance)))
    weights.fill(0, start - 1, start - 1 + unscored.length);
  for (const utterance of scored) {
    scoredIds(utterance).forEach((id, i) => {
      targets[utterance.start - 1 + i] = id;
      weights[utterance.start - 1 + i] = turns.get(utterance.turn)!;
    });
  }
  return { ids, targets, weights };
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
