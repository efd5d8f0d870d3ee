// Log-probabilities that stay constant during an update: under the policy that sampled and under the reference policy.
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { ReferencePolicy } from '../../learning/reference-policy.js';
import { scoredIds, scoreTurns, utterancesOf, type LearnedTurn } from '../../learning/turn-batch.js';
import type { SurrogateOptions } from './options.js';

/** A turn and what is learned from it. Arrays are [tokens] of its scored tokens: the utterance, then the terminator if it is scored. */
export interface AdvantageTurn extends LearnedTurn {
  /** A of the whole utterance, or of each token. */
  advantages: number | Float32Array;
  /** Nats, under the reference policy, where the caller has them already. */
  refLogprobs?: Float32Array;
}

export type Reference = Pick<ReferencePolicy, 'logprobs'>;
export type Prepared<Turn> = Turn & { old: Float32Array; ref: Float32Array };

/** The turns with the log-probabilities that stay constant during the update; turns without a scored token are left out. */
export async function prepare<Turn extends AdvantageTurn>(
  policy: LanguageModel,
  reference: Reference | null | 'none',
  turns: readonly Turn[],
  options: SurrogateOptions,
): Promise<Prepared<Turn>[]> {
  const { oldLogprobs, scoreTerminator, maxBatchTokens } = options;
  const maxTokens = maxBatchTokens ?? undefined;
  const sampled = turns.map(({ trajectory, turn }) => {
    const utterance = utterancesOf(trajectory).get(turn);
    if (!utterance) return new Float32Array(0);
    return Float32Array.from(utterance.logprobs.slice(0, scoredIds(utterance, scoreTerminator).length));
  });
  const old =
    oldLogprobs === 'sampled'
      ? sampled
      : await scoreInParts((examples) => policy.logprobs(examples, { maxTokens }), turns, options);
  const refs =
    reference === 'none' || turns.every(({ refLogprobs }) => refLogprobs !== undefined)
      ? turns.map(({ refLogprobs }) => (reference === 'none' ? undefined : refLogprobs))
      : await referenceLogprobs(reference, turns, options);
  return turns.flatMap((turn, i) =>
    old[i].length === 0 ? [] : [{ ...turn, old: old[i], ref: refs[i] ?? new Float32Array(0) }],
  );
}

export type ScoringOptions = Pick<
  SurrogateOptions,
  'minibatchSize' | 'scoreTerminator' | 'sequence' | 'maxBatchTokens'
>;

/** [turns] of [tokens] log-probabilities under the reference policy, in nats. */
export function referenceLogprobs(
  reference: Reference | null,
  turns: readonly LearnedTurn[],
  options: ScoringOptions,
): Promise<Float32Array[]> {
  if (reference === null) throw new Error('kl_coefficient is above 0, and this run has no reference policy');
  const maxTokens = options.maxBatchTokens ?? undefined;
  return scoreInParts((examples) => reference.logprobs(examples, { maxTokens }), turns, options);
}

/** Scores as many sequences at once as an update has in a minibatch. */
async function scoreInParts(
  score: (examples: readonly TokenExample[]) => Promise<Float32Array[]>,
  turns: readonly LearnedTurn[],
  options: ScoringOptions,
): Promise<Float32Array[]> {
  const indexed = turns.map(({ trajectory, turn }, index) => ({ trajectory, turn, index }));
  const sequences = sequencesOf(indexed, options.sequence);
  const scores = new Array<Float32Array>(turns.length);
  for (let start = 0; start < sequences.length; start += options.minibatchSize) {
    const part = sequences.slice(start, start + options.minibatchSize).flat();
    const found = await scoreTurns(score, part, options);
    part.forEach(({ index }, i) => (scores[index] = found[i]));
  }
  return scores;
}

/** In the order of their first turns. */
export function sequencesOf<Turn extends LearnedTurn>(turns: readonly Turn[], kind: 'episode' | 'turn'): Turn[][] {
  if (kind === 'turn') return turns.map((turn) => [turn]);
  const episodes = new Map<unknown, Turn[]>();
  for (const turn of turns) {
    const own = episodes.get(turn.trajectory);
    if (own) own.push(turn);
    else episodes.set(turn.trajectory, [turn]);
  }
  return [...episodes.values()];
}

/** [tokens] A of each scored token. */
export const tokenAdvantages = ({ advantages, old }: Prepared<AdvantageTurn>): Float32Array =>
  typeof advantages === 'number' ? new Float32Array(old.length).fill(advantages) : advantages;
