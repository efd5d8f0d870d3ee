// Converts a dataset into batches of token examples, and computes the loss of held-out examples.
import type { Trajectory } from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { EncodedConversation } from '@bowyer/text';
import type { Metrics } from '../rollout/run-hooks.js';
import { packTurns } from '../learning/pack-turns.js';

/** A dataset, and how its items become batches of token examples. */
export interface Examples<Item> {
  items: readonly Item[];
  /** Examples whose loss is a mean, weighted by `count` where the logged loss averages over batches. */
  batchOf(items: readonly Item[]): { examples: TokenExample[]; count: number };
  /**
   * The metrics since the last report.
   *
   * @param interval `nll` and `count` are the mean loss and the sum of the counts of these steps' batches, `steps` all steps so
   * far, `lr` the last step's learning rate
   */
  metricsOf(interval: { nll: number; steps: number; count: number; lr: number }): Metrics;
}

/** A context is a segment of tokens; an episode has several if its observations do not continue each other. */
export const contextsOf = (episodes: readonly Trajectory[]): Pick<Trajectory, 'episode' | 'segments'>[] =>
  episodes.flatMap(({ episode, segments }) => segments.map((segment) => ({ episode, segments: [segment] })));

/**
 * Examples whose loss is the mean over utterances.
 *
 * @param options.observationWeight weight of a token of an observation, relative to one of an utterance; 0: not learned
 * @param options.maskedTokenIds tokens that the policy can never write
 */
export const episodeExamples = <Item extends Pick<Trajectory, 'segments'>>(
  episodes: readonly Item[],
  {
    scoreTerminator,
    observationWeight = 0,
    maskedTokenIds = [],
  }: { scoreTerminator: boolean; observationWeight?: number; maskedTokenIds?: readonly number[] },
): Examples<Item> => ({
  items: episodes,
  batchOf(batch) {
    const turns = batch.flatMap((trajectory) =>
      trajectory.segments.flatMap(({ utterances }) =>
        utterances.filter(({ slip }) => !slip).map(({ turn }) => ({ trajectory, turn })),
      ),
    );
    const weighted = turns.map((item) => ({ ...item, weight: 1 / turns.length }));
    const observations =
      observationWeight > 0
        ? { weight: observationWeight / turns.length, maskedIds: new Set(maskedTokenIds) }
        : undefined;
    return { examples: packTurns(weighted, { scoreTerminator }, observations).examples, count: 1 };
  },
  metricsOf: ({ nll, steps }) => ({ 'losses/nll': nll, 'optim/steps': steps }),
});

/** Makes examples whose loss is the mean over learned tokens. `scoreTerminator` has no effect: the template's mask decides. */
export const conversationExamples = (conversations: readonly EncodedConversation[]): Examples<EncodedConversation> => ({
  items: conversations,
  batchOf(batch) {
    const count = batch.reduce((sum, conversation) => sum + learnedTokens(conversation), 0);
    return { examples: batch.map((conversation) => conversationExample(conversation, 1 / count)), count };
  },
  metricsOf: ({ nll, steps, count }) => ({
    'losses/nll': nll,
    'losses/perplexity': Math.exp(nll),
    'optim/steps': steps,
    tokens: count,
  }),
});

/**
 * Computes Σ −log π over the learned tokens of each conversation, in nats, without gradients.
 *
 * @param batchSize the number of conversations that run through the model together
 */
export async function conversationLosses(
  policy: LanguageModel,
  conversations: readonly EncodedConversation[],
  batchSize: number,
  progress?: (done: number) => void,
): Promise<number[]> {
  const examples = conversations.map((conversation) => conversationExample(conversation, 1));
  const losses = examples.map(() => 0);
  await scoreRows(policy, examples, batchSize, (example, loss) => (losses[example] += loss), progress);
  return losses;
}

/** Computes Σ weight · −log π(target) in nats, without gradients, with `rows` examples per forward pass. */
export async function weightedLoss(
  policy: LanguageModel,
  examples: readonly TokenExample[],
  rows: number,
  progress?: (done: number) => void,
): Promise<number> {
  let sum = 0;
  await scoreRows(policy, examples, rows, (_, loss) => (sum += loss), progress);
  return sum;
}

/** Scores examples, `rows` of them in a forward pass. `take` is given weight · −log π(target) of each position, in order. */
async function scoreRows(
  policy: LanguageModel,
  examples: readonly TokenExample[],
  rows: number,
  take: (example: number, loss: number) => void,
  progress?: (done: number) => void,
): Promise<void> {
  for (let start = 0; start < examples.length; start += rows) {
    const batch = examples.slice(start, start + rows);
    const logprobs = await policy.logprobs(batch, { sharesPrefixes: true });
    batch.forEach(({ weights }, row) => weights.forEach((weight, t) => take(start + row, -weight * logprobs[row][t])));
    progress?.(Math.min(start + rows, examples.length));
  }
}

/** Counts the learned tokens of a conversation; its first token is never predicted. */
export const learnedTokens = ({ lossMask }: EncodedConversation): number =>
  lossMask.reduce((sum, mask, i) => sum + (i > 0 ? mask : 0), 0);

export function conversationExample({ ids, lossMask }: EncodedConversation, weight: number): TokenExample {
  return {
    ids: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    weights: Float32Array.from(lossMask.slice(1), (mask) => mask * weight),
  };
}
