// Converts turns into the token examples that a language model scores: only here they get targets, weights and masks.
import { spokenIds, type SegmentUtterance, type TokenMask, type TokenSegment, type Trajectory } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';

/** A turn whose utterance is scored. */
export interface LearnedTurn<Episode = Trajectory> {
  trajectory: Episode;
  turn: number;
  /** Weight of each token of the utterance in the loss; 1 if not given. */
  weight?: number;
}

export const turnsOf = (trajectories: readonly Trajectory[]): LearnedTurn[] =>
  trajectories.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));

/** Returns the utterances of an episode by turn; a turn without tokens of the policy has none. */
export const utterancesOf = ({ segments }: Trajectory): Map<number, SegmentUtterance> =>
  new Map(segments.flatMap(({ utterances }) => utterances.map((utterance) => [utterance.turn, utterance] as const)));

/** Returns the tokens of an utterance that are scored: all, or those before its terminator. */
export const scoredIds = (utterance: SegmentUtterance, scoreTerminator: boolean): number[] =>
  scoreTerminator ? utterance.ids : spokenIds(utterance);

interface ScoredObservations {
  weight: number;
  /** Tokens that the policy can never write, which are not scored. */
  maskedIds: ReadonlySet<number>;
}

/** The token examples of some turns. Arrays over a batch's tokens are ordered by turn. */
export interface TurnBatch<Turn> {
  examples: TokenExample[];
  /** The turns in the order of their tokens in `examples`; the turns of an episode are adjacent. */
  turns: Turn[];
  /** The number of scored tokens of each turn, [turns]. */
  lengths: number[];
}

/**
 * Packs turns into token examples, so that the model reads a segment once however many of its utterances are learned from:
 * loss = Σ weight · (−Σ_t log π(a_t | s, a_<t)).
 *
 * An example ends with the input of its last target. A token is the target of the position before it, with the mask under which
 * it was sampled. If an utterance ends at the position where the next one begins, each needs its own example. A turn without a
 * scored token is omitted; a turn that is given twice has the sum of its weights.
 *
 * For example, an episode of one segment: the environment wrote H; in turn 0 the policy wrote q and the terminator 9, both held
 * to the tokens of the mask m = {q, 9}; the environment wrote r; in turn 1 the policy wrote w and v until the length limit ended
 * it; the environment wrote s; in turn 2 the policy wrote u and 9. Turn 0 with weight 1 and turn 2 with weight 2 give one
 * example:
 *
 *     ids      H q r w v s u
 *     targets  q 9 . . . u 9       9 stands in place of r, which follows q in the segment
 *     weights  1 1 . . . 2 2       a dot is 0, or no mask
 *     masks    m m . . . . .
 *
 * and `lengths` [2, 2]. With `observations` of weight 0.5, where r alone can never be written, the target of v is s with weight
 * 0.5.
 *
 * @param options.scoreTerminator whether the token that ended an utterance is scored too; ArCHer's code leaves it out
 * @param observations weight and exceptions of observations that are scored too; none if not given
 */
export function packTurns<Turn extends LearnedTurn<Pick<Trajectory, 'segments'>>>(
  turns: readonly Turn[],
  { scoreTerminator }: { scoreTerminator: boolean },
  observations?: ScoredObservations,
): TurnBatch<Turn> {
  const batch: TurnBatch<Turn> = { examples: [], turns: [], lengths: [] };
  for (const [{ segments }, members] of byTrajectory(turns))
    for (const segment of segments) {
      let observedFrom = 0;
      for (const utterances of rowsOf(segment, members, scoreTerminator)) {
        const scoring = { scoreTerminator, observations, observedFrom };
        const example = exampleOf(segment, utterances, members, scoring);
        observedFrom = example.ids.length;
        batch.examples.push(example);
        for (const utterance of utterances) {
          batch.turns.push(members.get(utterance.turn)!);
          batch.lengths.push(scoredIds(utterance, scoreTerminator).length);
        }
      }
    }
  return batch;
}

/** Groups turns by their trajectory; the weights of a turn that is given twice are added. */
function byTrajectory<Turn extends LearnedTurn<unknown>>(turns: readonly Turn[]) {
  const members = new Map<Turn['trajectory'], Map<number, Turn>>();
  for (const item of turns) {
    const own = members.get(item.trajectory) ?? new Map<number, Turn>();
    const before = own.get(item.turn);
    own.set(item.turn, before ? { ...item, weight: weightOf(before) + weightOf(item) } : item);
    members.set(item.trajectory, own);
  }
  return members;
}

const weightOf = ({ weight = 1 }: { weight?: number }): number => weight;

/** The input ends before the utterance's last token, which is predicted at the position before it. */
const endOf = (utterance: SegmentUtterance, scoreTerminator: boolean): number =>
  utterance.start - 1 + scoredIds(utterance, scoreTerminator).length;

/**
 * Divides a segment's utterances among examples. A position has one target, so an utterance begins another example if its first
 * target is at the position of the last one before.
 */
function rowsOf(
  { utterances }: TokenSegment,
  members: ReadonlyMap<number, unknown>,
  scoreTerminator: boolean,
): SegmentUtterance[][] {
  const rows: SegmentUtterance[][] = [];
  let end = -1;
  for (const utterance of utterances) {
    if (!members.has(utterance.turn) || scoredIds(utterance, scoreTerminator).length === 0) continue;
    if (rows.length > 0 && utterance.start - 1 >= end) rows.at(-1)!.push(utterance);
    else rows.push([utterance]);
    end = endOf(utterance, scoreTerminator);
  }
  return rows;
}

/** Makes the example of a segment. `options.observedFrom`: the first position whose observation is scored in this example. */
function exampleOf(
  segment: TokenSegment,
  utterances: readonly SegmentUtterance[],
  members: ReadonlyMap<number, { weight?: number }>,
  {
    scoreTerminator,
    observations,
    observedFrom,
  }: { scoreTerminator: boolean; observations: ScoredObservations | undefined; observedFrom: number },
): TokenExample {
  const length = endOf(utterances.at(-1)!, scoreTerminator);
  const targets = new Int32Array(length);
  const weights = new Float32Array(length);
  if (observations) {
    const isWritten = writtenPositions(segment, length);
    for (let at = observedFrom; at < length; at++) {
      const target = segment.ids[at + 1];
      if (isWritten[at] || target === undefined || observations.maskedIds.has(target)) continue;
      targets[at] = target;
      weights[at] = observations.weight;
    }
  }
  const tokenMasks = new Array<TokenMask | null | undefined>(length);
  for (const utterance of utterances)
    scoredIds(utterance, scoreTerminator).forEach((id, i) => {
      const at = utterance.start - 1 + i;
      targets[at] = id;
      weights[at] = weightOf(members.get(utterance.turn)!);
      if (utterance.tokenMasks) tokenMasks[at] = utterance.tokenMasks[i];
    });
  return {
    ids: Int32Array.from(segment.ids.slice(0, length)),
    targets,
    weights,
    ...(utterances.some((utterance) => utterance.tokenMasks !== undefined) && { tokenMasks }),
  };
}

/** Marks the positions whose next token belongs to an utterance. */
function writtenPositions({ utterances }: TokenSegment, length: number): Uint8Array {
  const written = new Uint8Array(length);
  for (const utterance of utterances) {
    const first = utterance.start - 1;
    written.fill(1, first, first + spokenIds(utterance).length);
  }
  return written;
}

/** Returns [N] values in order. `rows`: [examples][positions], such as log-probabilities. */
export const scoredOf = (examples: readonly TokenExample[], rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(examples.flatMap(({ weights }, e) => [...rows[e]].filter((_, t) => weights[t] !== 0)));

/** Computes [turns] of [tokens] log-probabilities in nats. `score`: such as `LanguageModel.logprobs`. */
export async function scoreTurns(
  score: (examples: readonly TokenExample[]) => Promise<Float32Array[]>,
  turns: readonly LearnedTurn[],
  options: { scoreTerminator: boolean },
): Promise<Float32Array[]> {
  const indexed = turns.map(({ trajectory, turn }, index) => ({ trajectory, turn, index }));
  const batch = packTurns(indexed, options);
  const tokens = scoredOf(batch.examples, await score(batch.examples));
  const scores = turns.map(() => new Float32Array(0));
  let start = 0;
  batch.turns.forEach(({ index }, i) => {
    scores[index] = tokens.slice(start, (start += batch.lengths[i]));
  });
  return scores;
}
