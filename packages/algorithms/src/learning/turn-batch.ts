// Turns of episodes packed into token examples, so that a segment is read once however many of its utterances are learned from.
import type { Trajectory, UtteranceTokens } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';
import { scoredIds, segmentExamples } from './segment-examples.js';

export { scoredIds };

/** A turn whose utterance is scored. */
export interface LearnedTurn {
  trajectory: Trajectory;
  turn: number;
}

/** All turns of some episodes, in order. */
export const turnsOf = (trajectories: readonly Trajectory[]): LearnedTurn[] =>
  trajectories.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));

/** The tokens of a batch are those of its turns, one turn after the other. */
export interface TurnBatch<Turn> {
  /** Weight 1 at every token. */
  examples: TokenExample[];
  /** In the order of their tokens in `examples`: turns of one episode follow each other. */
  turns: Turn[];
  /** [turns] tokens of each. */
  lengths: number[];
}

/** @returns utterances by turn; a turn without tokens of ours has none */
export const utterancesOf = ({ segments }: Trajectory): Map<number, UtteranceTokens> =>
  new Map(segments.flatMap(({ utterances }) => utterances.map((utterance) => [utterance.turn, utterance] as const)));

/** Turns without a token to score are left out. Each turn must be given once. */
export function packTurns<Turn extends LearnedTurn>(
  turns: readonly Turn[],
  { scoreTerminator }: { scoreTerminator: boolean },
): TurnBatch<Turn> {
  const batch: TurnBatch<Turn> = { examples: [], turns: [], lengths: [] };
  for (const [{ segments }, members] of byTrajectory(turns)) {
    const scoring = { scoreTerminator, weightOf: ({ turn }: UtteranceTokens) => (members.has(turn) ? 1 : undefined) };
    for (const segment of segments)
      for (const { example, utterances } of segmentExamples(segment, scoring)) {
        batch.examples.push(example);
        for (const utterance of utterances) {
          batch.turns.push(members.get(utterance.turn)!);
          batch.lengths.push(scoredIds(utterance, scoreTerminator).length);
        }
      }
  }
  return batch;
}

function byTrajectory<Turn extends LearnedTurn>(turns: readonly Turn[]): Map<Trajectory, Map<number, Turn>> {
  const members = new Map<Trajectory, Map<number, Turn>>();
  for (const item of turns) {
    const own = members.get(item.trajectory) ?? new Map<number, Turn>();
    members.set(item.trajectory, own.set(item.turn, item));
  }
  return members;
}

/** Log-probabilities of each turn's scored tokens. @param score as `LanguageModel.logprobs` @returns [turns] of [tokens], in nats */
export async function scoreTurns(
  score: (examples: readonly TokenExample[]) => Promise<Float32Array[]>,
  turns: readonly LearnedTurn[],
  options: { scoreTerminator: boolean },
): Promise<Float32Array[]> {
  const indexed = turns.map(({ trajectory, turn }, index) => ({ trajectory, turn, index }));
  const batch = packTurns(indexed, options);
  const rows = await score(batch.examples);
  const tokens = batch.examples.flatMap(({ weights }, e) => [...rows[e]].filter((_, t) => weights[t] !== 0));
  const scores = turns.map(() => new Float32Array(0));
  let start = 0;
  batch.turns.forEach(({ index }, i) => {
    scores[index] = Float32Array.from(tokens.slice(start, (start += batch.lengths[i])));
  });
  return scores;
}
