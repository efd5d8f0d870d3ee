// Behaviour cloning: maximise the likelihood of what demonstrators wrote. Also the supervised warm start of the other algorithms.
// Loss on episodes, as in the authors' code of Zhou et al. 2024 (arXiv:2402.19446), a mean over utterances:
//
//     L = −mean over the batch's utterances of Σ_t log π(a_t | s, a_<t)
//
// and on conversations, as in AgentGym's BCTrainer (Xi et al. 2024, arXiv:2406.04151), a mean over tokens:
//
//     L = −mean over the batch's learned tokens of log π(a_t | s, a_<t)
//
// Differs from them: an episode is one sequence, so every history is read once; warm-up and decay of the learning rate; the clip;
// the mean over tokens is of the whole batch, not of a micro-batch; a message's own `loss` is respected (see the chat template).
import { Type } from '@sinclair/typebox';
import { count, minibatches, rate, Rng, scheduledRate, share, type OptionsOf, type Trajectory } from '@bowyer/core';
import type { EncodedConversation, LanguageModel, TokenExample } from '@bowyer/models';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics, PlayOptions } from '../types.js';
import { rateScheduleSchema } from '../update/policy-rate.js';
import { scoreTerminatorKey, tokenExamples } from '../update/token-examples.js';
import { datasetOf, defineAlgorithm, type TrainingRun } from '../unit.js';

/** Config keys of imitation from a dataset. */
export const imitationKeys = {
  epochs: count('passes over the dataset'),
  batch_size: count('episodes or conversations per optimizer step'),
  lm_lr: rate('peak learning rate of the policy'),
  lm_schedule: rateScheduleSchema('optimizer steps', share('last learning rate as a share of the peak')),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
};

const options = Type.Object(imitationKeys, { additionalProperties: false });

export type BcOptions = OptionsOf<typeof options> & Pick<PlayOptions, 'seed'>;

export const bc = defineAlgorithm({
  name: 'bc',
  description: 'behaviour cloning: maximises the likelihood of the actions in a dataset',
  options,
  needs: { critic: null, source: 'dataset' },
  trainsPolicy: true,
  playerOptions: [],
  openPlayer: policyPlayer,
  train(run, options) {
    const dataset = datasetOf(run);
    return dataset.kind === 'episodes'
      ? imitate(run, episodeExamples(dataset.episodes, options), options)
      : imitate(run, conversationExamples(dataset.conversations), options);
  },
});

/** A dataset as the loop below sees it. */
export interface Examples<Item> {
  items: readonly Item[];
  /** A batch's examples, whose loss is a mean, and what this mean counts as in that of several batches. */
  batchOf(items: readonly Item[]): { examples: TokenExample[]; count: number };
  /** Of the steps since the last metrics. @param interval `count`: the sum over its batches; `lr`: of its last step */
  metricsOf(interval: { nll: number; steps: number; count: number; lr: number }): Metrics;
}

/** What training on one's own data asks of the loop besides. */
export interface ImitationSettings {
  /** Parts in which a batch runs through the model, one after the other; their gradients are added. 1 if not given. */
  parts?: number;
  /** Metrics are logged that often in an epoch, as far as it has steps; once, at its end, if not given. */
  logsPerEpoch?: number;
  /** Metrics on held-out items, before the first step and after every epoch; the best epoch has the smallest `eval/nll`. */
  validate?: () => Promise<Metrics>;
}

/** Running sums of the steps since the last metrics: part of a checkpoint. */
interface EpochSums {
  lossSum: number;
  count: number;
}

/** `epochs` passes over a dataset, one batch per optimizer step. Checkpoints count optimizer steps. */
export async function imitate<Item>(
  { policy, hooks, state, firstIteration }: Pick<TrainingRun, 'policy' | 'hooks' | 'state' | 'firstIteration'>,
  { items, batchOf, metricsOf }: Examples<Item>,
  options: Omit<BcOptions, 'scoreTerminator'>,
  { parts = 1, logsPerEpoch = 1, validate }: ImitationSettings = {},
): Promise<void> {
  if (items.length === 0) throw new RangeError('behaviour cloning: the dataset is empty');
  const stepsPerEpoch = Math.ceil(items.length / options.batchSize);
  const totalSteps = options.epochs * stepsPerEpoch;
  const logEvery = Math.ceil(stepsPerEpoch / logsPerEpoch);
  const sums = (state.epoch ??= { lossSum: 0, count: 0 }) as EpochSums;

  let step = firstIteration;
  if (step === 0 && validate) await hooks.log(-1, { ...(await validate()), 'optim/steps': 0 });
  for (let epoch = Math.floor(step / stepsPerEpoch); epoch < options.epochs; epoch++) {
    const batches = [...minibatches(items, options.batchSize, Rng.forPurpose(options.seed, `bc/${epoch}`))];
    for (const batch of batches.slice(step % stepsPerEpoch)) {
      const { examples, count } = batchOf(batch);
      const loss = await accumulateInParts(policy, examples, parts);
      const lr = scheduledRate(options.lmLr, step, totalSteps, options.lmSchedule);
      await policy.optimizer.step({ lr, maxGradNorm: options.maxGradNorm });
      sums.lossSum += loss * count;
      sums.count += count;
      hooks.progress('imitation', ++step, totalSteps);
      const stepOfEpoch = step % stepsPerEpoch;
      if (stepOfEpoch % logEvery === 0) {
        const validation = stepOfEpoch === 0 ? ((await validate?.()) ?? {}) : {};
        const nll = sums.lossSum / sums.count;
        await hooks.log(epoch, { ...metricsOf({ nll, steps: step, count: sums.count, lr }), ...validation });
        sums.lossSum = sums.count = 0;
        if ('eval/nll' in validation) await hooks.keepBest(epoch, -validation['eval/nll']);
      }
      if (hooks.checkpointDue || hooks.stopRequested) await hooks.checkpoint(step);
      if (hooks.stopRequested) return;
    }
  }
}

/** The examples' loss has weights of the whole batch, so the sum over the parts is the loss of the batch. */
async function accumulateInParts(
  policy: LanguageModel,
  examples: readonly TokenExample[],
  parts: number,
): Promise<number> {
  const rows = Math.ceil(examples.length / parts);
  let loss = 0;
  for (let start = 0; start < examples.length; start += rows)
    loss += (await policy.accumulateGradients(examples.slice(start, start + rows))).loss;
  return loss;
}

/** Mean over utterances; a batch counts as one. An item is a context: an episode whose turns do not continue each other has several. */
export const episodeExamples = (
  episodes: readonly Trajectory[],
  options: { scoreTerminator: boolean },
): Examples<Pick<Trajectory, 'segments'>> => ({
  items: episodes.flatMap(({ segments }) => segments.map((segment) => ({ segments: [segment] }))),
  batchOf(batch) {
    const turns = batch.flatMap((trajectory) =>
      trajectory.segments.flatMap(({ utterances }) => utterances.map(({ turn }) => ({ trajectory, turn }))),
    );
    const weighted = turns.map((item) => ({ ...item, weight: 1 / turns.length }));
    return { examples: tokenExamples(weighted, options), count: 1 };
  },
  metricsOf: ({ nll, steps }) => ({ 'losses/nll': nll, 'optim/steps': steps }),
});

/** Mean over learned tokens. The template's mask decides where a message's terminator is one; `scoreTerminator` has no effect. */
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
 * Mean −log π over the learned tokens of conversations that are not trained on, in nats.
 *
 * @param batchSize conversations that run through the model at once
 * @param progress called after each batch with the conversations done so far
 */
export async function conversationLoss(
  policy: LanguageModel,
  conversations: readonly EncodedConversation[],
  batchSize: number,
  progress?: (done: number) => void,
): Promise<number> {
  let [sum, count] = [0, 0];
  for (let start = 0; start < conversations.length; start += batchSize) {
    const batch = conversations
      .slice(start, start + batchSize)
      .map((conversation) => conversationExample(conversation, 1));
    const logprobs = await policy.logprobs(batch);
    batch.forEach(({ weights }, row) =>
      weights.forEach((weight, t) => {
        sum -= weight * logprobs[row][t];
        count += weight;
      }),
    );
    progress?.(Math.min(start + batchSize, conversations.length));
  }
  return sum / count;
}

/** Tokens that a conversation is scored on; its first one is predicted from nothing. */
export const learnedTokens = ({ lossMask }: EncodedConversation): number =>
  lossMask.reduce((sum, mask, i) => sum + (i > 0 ? mask : 0), 0);

/** Each token predicts the next one. */
export function conversationExample({ ids, lossMask }: EncodedConversation, weight: number): TokenExample {
  return {
    ids: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    weights: Float32Array.from(lossMask.slice(1), (mask) => mask * weight),
  };
}
