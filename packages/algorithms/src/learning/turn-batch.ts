// Turns of episodes packed into token examples, so that a segment is read once however many of its utterances are learned from.
import type { TokenMask, TokenSegment, Trajectory, UtteranceTokens } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';

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

/** The tokens of an utterance that are scored. */
export const scoredIds = ({ ids, terminatorId }: UtteranceTokens, scoreTerminator: boolean): number[] =>
  scoreTerminator && terminatorId !== null ? [...ids, terminatorId] : ids;

/** @returns utterances by turn; a turn without tokens of ours has none */
export const utterancesOf = ({ segments }: Trajectory): Map<number, UtteranceTokens> =>
  new Map(segments.flatMap(({ utterances }) => utterances.map((utterance) => [utterance.turn, utterance] as const)));

/** Turns without a token to score are left out. Each turn must be given once. */
export function packTurns<Turn extends LearnedTurn>(
  turns: readonly Turn[],
  { scoreTerminator }: { scoreTerminator: boolean },
): TurnBatch<Turn> {
  const batch: TurnBatch<Turn> = { examples: [], turns: [], lengths: [] };
  for (const [{ segments }, members] of byTrajectory(turns))
    for (const segment of segments)
      for (const row of rowsOf(segment, members, scoreTerminator)) {
        batch.examples.push(exampleOf(segment, row, scoreTerminator));
        for (const utterance of row) {
          batch.turns.push(members.get(utterance.turn)!);
          batch.lengths.push(scoredIds(utterance, scoreTerminator).length);
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

/** Utterances that one example scores. Where one ends at the position in which the next begins, they need an example each. */
function rowsOf(
  { utterances }: TokenSegment,
  members: ReadonlyMap<number, unknown>,
  scoreTerminator: boolean,
): UtteranceTokens[][] {
  const rows: UtteranceTokens[][] = [];
  let end = -1;
  for (const utterance of utterances) {
    const { length } = scoredIds(utterance, scoreTerminator);
    if (!members.has(utterance.turn) || length === 0) continue;
    if (rows.length > 0 && utterance.start - 1 >= end) rows.at(-1)!.push(utterance);
    else rows.push([utterance]);
    end = utterance.start - 1 + length;
  }
  return rows;
}

/** The last scored token is only a target; no token is predicted from it. */
function exampleOf(segment: TokenSegment, row: readonly UtteranceTokens[], scoreTerminator: boolean): TokenExample {
  const last = row.at(-1)!;
  const length = last.start + scoredIds(last, scoreTerminator).length - 1;
  const targets = new Int32Array(length);
  const weights = new Float32Array(length);
  const allowedIds = new Array<readonly number[] | undefined>(length);
  const tokenMasks = new Array<TokenMask | null | undefined>(length);
  for (const utterance of row)
    scoredIds(utterance, scoreTerminator).forEach((id, i) => {
      targets[utterance.start - 1 + i] = id;
      weights[utterance.start - 1 + i] = 1;
      if (utterance.allowedIds) allowedIds[utterance.start - 1 + i] = utterance.allowedIds[i];
      if (utterance.tokenMasks) tokenMasks[utterance.start - 1 + i] = utterance.tokenMasks[i];
    });
  const restricted = row.some((utterance) => utterance.allowedIds !== undefined);
  const masked = row.some((utterance) => utterance.tokenMasks !== undefined);
  return {
    ids: Int32Array.from(segment.ids.slice(0, length)),
    targets,
    weights,
    ...(restricted && { allowedIds }),
    ...(masked && { tokenMasks }),
  };
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
