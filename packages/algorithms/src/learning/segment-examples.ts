// From the utterances of a segment to the examples that a language model scores: the one place where targets, weights and masks are laid
// over tokens.
import type { TokenMask, TokenSegment, UtteranceTokens } from '@bowyer/core';
import type { TokenExample } from '@bowyer/models';

/** How a segment is scored. */
export interface SegmentScoring {
  /** Whether the token that ended an utterance is scored too. */
  scoreTerminator: boolean;
  /** The weight of an utterance's tokens in the loss; undefined: it is not scored. */
  weightOf: (utterance: UtteranceTokens) => number | undefined;
  /** The weight of the tokens beside all utterances, but of those that the policy can never write; if left out, they are not scored. */
  observations?: { weight: number; maskedIds: ReadonlySet<number> } | undefined;
}

/** An example, and the utterances that it scores, in order. */
export interface SegmentExample {
  example: TokenExample;
  utterances: UtteranceTokens[];
}

/** The tokens of an utterance that are scored. */
export const scoredIds = ({ ids, terminatorId }: UtteranceTokens, scoreTerminator: boolean): number[] =>
  scoreTerminator && terminatorId !== null ? [...ids, terminatorId] : ids;

/**
 * Packs the utterances of a segment, so that it is read once, up to the last scored token: that one is only a target. A token is the
 * target of the position before it, with the mask among whose tokens it was sampled. Where one utterance ends at the position in which
 * the next begins, they need an example each.
 *
 * Three turns, [q] ended by 9 and held to {q, 9}, then [w v] that the length limit ended, then [u] ended by 9, of which the second is
 * not scored (`.` is 0, null or undefined):
 *
 *     ids      H q r w v s u       the segment: H, r and s are what the environment wrote
 *     targets  q 9 . . . u 9       9 in place of r, which follows q in the segment
 *     weights  1 1 . . . 1 1       of the first and the third utterance
 *     masks    m m . . . . .       m: {q, 9}
 *
 * With `observations` of weight 0.5 and r the only token that the policy can never write, the target of v is s, and its weight 0.5.
 */
export function segmentExamples(
  segment: TokenSegment,
  { scoreTerminator, weightOf, observations }: SegmentScoring,
): SegmentExample[] {
  const rows = rowsOf(segment, scoreTerminator, weightOf);
  const ends = rows.map((row) => endOf(row.at(-1)!, scoreTerminator));
  return rows.map((utterances, r) => {
    const length = ends[r];
    const targets = new Int32Array(length);
    const weights = new Float32Array(length);
    if (observations) {
      const isWritten = writtenPositions(segment, length);
      // A token that several examples read is scored in the first.
      for (let at = ends[r - 1] ?? 0; at < length; at++) {
        const target = segment.ids[at + 1];
        if (isWritten[at] || target === undefined || observations.maskedIds.has(target)) continue;
        targets[at] = target;
        weights[at] = observations.weight;
      }
    }
    const allowedIds = new Array<readonly number[] | undefined>(length);
    const tokenMasks = new Array<TokenMask | null | undefined>(length);
    for (const utterance of utterances)
      scoredIds(utterance, scoreTerminator).forEach((id, i) => {
        const at = utterance.start - 1 + i;
        targets[at] = id;
        weights[at] = weightOf(utterance)!;
        if (utterance.allowedIds) allowedIds[at] = utterance.allowedIds[i];
        if (utterance.tokenMasks) tokenMasks[at] = utterance.tokenMasks[i];
      });
    const example = {
      ids: Int32Array.from(segment.ids.slice(0, length)),
      targets,
      weights,
      ...(utterances.some((utterance) => utterance.allowedIds !== undefined) && { allowedIds }),
      ...(utterances.some((utterance) => utterance.tokenMasks !== undefined) && { tokenMasks }),
    };
    return { example, utterances };
  });
}

/** The position behind an utterance's last scored target. */
const endOf = (utterance: UtteranceTokens, scoreTerminator: boolean): number =>
  utterance.start - 1 + scoredIds(utterance, scoreTerminator).length;

/** Utterances that one example scores. */
function rowsOf(
  { utterances }: TokenSegment,
  scoreTerminator: boolean,
  weightOf: SegmentScoring['weightOf'],
): UtteranceTokens[][] {
  const rows: UtteranceTokens[][] = [];
  let end = -1;
  for (const utterance of utterances) {
    if (weightOf(utterance) === undefined || scoredIds(utterance, scoreTerminator).length === 0) continue;
    if (rows.length > 0 && utterance.start - 1 >= end) rows.at(-1)!.push(utterance);
    else rows.push([utterance]);
    end = endOf(utterance, scoreTerminator);
  }
  return rows;
}

/** The positions whose next token the agent wrote. */
function writtenPositions({ utterances }: TokenSegment, length: number): Uint8Array {
  const written = new Uint8Array(length);
  for (const { start, ids } of utterances) written.fill(1, start - 1, start - 1 + ids.length);
  return written;
}
