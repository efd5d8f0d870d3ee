// From trajectories and demonstrations to what a language model trains on.
import type { Demonstration, TokenSegment, UtteranceTokens } from '@bowyer/core';
import type { TokenExample, Tokenizer } from '@bowyer/models';

/** One utterance of one trajectory, and how much its log-probability weighs in the loss. */
export interface WeightedUtterance {
  trajectory: { segments: readonly TokenSegment[] };
  turn: number;
  weight: number;
}

/**
 * Packs utterances so that each stretch of context is run through the model once, however many of its utterances
 * take part: loss = Σ weight · (−Σ_t log π(a_t | s, a_<t)). An utterance given twice counts twice.
 *
 * @param options.scoreTerminator whether the token that ended an utterance is part of it; ArCHer's code leaves it out
 */
export function tokenExamples(
  utterances: readonly WeightedUtterance[],
  { scoreTerminator }: { scoreTerminator: boolean },
): TokenExample[] {
  const weights = new Map<{ segments: readonly TokenSegment[] }, Map<number, number>>();
  for (const { trajectory, turn, weight } of utterances) {
    const turns = weights.get(trajectory) ?? new Map<number, number>();
    weights.set(trajectory, turns.set(turn, (turns.get(turn) ?? 0) + weight));
  }
  return [...weights].flatMap(([{ segments }, turns]) =>
    segments.flatMap((segment) => segmentExample(segment, turns, scoreTerminator) ?? []),
  );
}

function segmentExample(
  segment: TokenSegment,
  turns: Map<number, number>,
  scoreTerminator: boolean,
): TokenExample | undefined {
  const said = ({ ids, terminatorId }: UtteranceTokens) =>
    scoreTerminator && terminatorId !== null ? [...ids, terminatorId] : ids;
  const scored = segment.utterances.filter((utterance) => turns.has(utterance.turn) && said(utterance).length > 0);
  if (scored.length === 0) return undefined;
  const last = scored.at(-1)!;
  // The last scored token is only a target: nothing is predicted from it.
  const length = last.start + said(last).length - 1;
  const ids = Int32Array.from(segment.ids.slice(0, length));
  const targets = new Int32Array(length);
  const weights = new Float32Array(length);
  for (const utterance of scored) {
    said(utterance).forEach((id, i) => {
      targets[utterance.start - 1 + i] = id;
      weights[utterance.start - 1 + i] = turns.get(utterance.turn)!;
    });
  }
  return { ids, targets, weights };
}

/** Tokenises a demonstration piece by piece, as the player does during a rollout. */
export function demonstrationSegment(
  { opening, turns }: Demonstration,
  tokenizer: Tokenizer,
  terminatorId: number,
): TokenSegment {
  const segment: TokenSegment = { ids: tokenizer.encode(opening), utterances: [] };
  turns.forEach(({ action, reply }, turn) => {
    const ids = tokenizer.encode(action);
    segment.utterances.push({ turn, start: segment.ids.length, ids, terminatorId, logprobs: [] });
    segment.ids.push(...ids, ...tokenizer.encode(reply));
  });
  return segment;
}
