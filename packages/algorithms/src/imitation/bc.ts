// Behaviour cloning maximises the likelihood of demonstrators' actions. It is also the warm start of the other algorithms. The loss
// on episodes is a mean over utterances, as in the authors' code of Zhou et al. 2024 (arXiv:2402.19446):
//
//     L = −mean over the batch's utterances of Σ_t log π(a_t | s, a_<t)
//
// and on conversations a mean over tokens, as in AgentGym's BCTrainer (Xi et al. 2024, arXiv:2406.04151):
//
//     L = −mean over the batch's learned tokens of log π(a_t | s, a_<t)
//
// Differs from both: an episode is one sequence, so that every history is read once; warm-up and decay of the learning rate; the clip;
// the mean is over the whole batch of an optimizer step, not over a micro-batch; a message's own `loss` decides whether it is learned
// (see the chat template).
import {
  choice,
  flag,
  group,
  nonNegative,
  unitOptions,
  type LearningRateSchedule,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import type { EncodedConversation } from '@bowyer/text';
import { datasetEvaluation, evaluationMembers, heldOut, validationShareOption } from '../dataset/dataset-evaluation.js';
import { epochsOption, loggingStepsKey, stepsOf } from '../dataset/passes.js';
import { batchMembers } from '../learning/learning-options.js';
import { steppedActor } from '../learning/policy-rate.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf } from '../run/training-run.js';
import { contextsOf, conversationExamples, episodeExamples, weightedLoss, type Examples } from './examples.js';
import { imitate } from './imitate.js';

interface CloneDefaults {
  epochs: number;
  lr: number;
  schedule?: Partial<LearningRateSchedule>;
}

export const cloneOptions = ({ epochs, ...actor }: CloneDefaults) => ({
  epochs: epochsOption(epochs),
  ...loggingStepsKey('one line an epoch'),
  batch: group(
    {
      ...batchMembers('episodes or conversations', { size: 32, accumulationSteps: 1 }),
      of: choice(
        ['contexts', 'episodes'],
        'contexts',
        "'contexts': where an episode's turns do not continue each other, each of its contexts is an item of its own; 'episodes': a batch has all contexts of its episodes, and their common beginnings are computed once (on the CPU, with algorithm.loss.observation_weight=0, without dropout)",
        { flat: 'batch_of' },
      ),
    },
    'what an optimizer step is made of; its loss is the mean over all micro-batches',
  ),
  actor: steppedActor(actor, {
    dropout: flag(false, 'training drops activations with the probabilities of the model’s config.json', {
      flat: 'dropout',
    }),
  }),
  loss: cloneLoss('actions'),
  eval: group({ ...evaluationMembers, validation_share: validationShareOption }, 'evaluations on the way'),
});

/** `learned`: names, in a description, the tokens that are learned without that option, such as the agent's. */
export const cloneLoss = (learned: string) =>
  group(
    {
      observation_weight: nonNegative(
        0,
        `weight of −log p of each token that the environment wrote, where a token that the policy writes has 1; 0: only ${learned} are trained on`,
        { flat: 'observation_weight' },
      ),
    },
    'the loss of a batch',
  );

const options = unitOptions(cloneOptions({ epochs: 1, lr: 1e-5 }));

type CloneOptions = OptionsOf<typeof options> & PlayOptions;

export const bc = defineAlgorithm({
  name: 'bc',
  description: 'behaviour cloning: maximises the likelihood of the actions in a dataset',
  options,
  needs: { source: 'dataset' },

  async train(run, options) {
    const dataset = datasetOf(run);
    if (dataset.kind === 'episodes') return cloneEpisodes(run, dataset.episodes, options);
    return cloneConversations(run, dataset.conversations, options);
  },
});

type Context = Pick<Trajectory, 'episode' | 'segments'>;

/** `further`: metrics that are logged beside those of the loss. */
export function cloneEpisodes(
  run: AlgorithmRun,
  episodes: readonly Trajectory[],
  options: CloneOptions,
  further: Metrics = {},
): Promise<void> {
  const { maskedTokenIds } = run.policy;
  const { scoreTerminator } = options.actor;
  const examplesOf = (
    items: readonly Context[],
    observationWeight = options.loss.observationWeight,
  ): Examples<Context> =>
    withMetrics(episodeExamples(items, { scoreTerminator, observationWeight, maskedTokenIds }), further);
  const items = options.batch.of === 'episodes' ? episodes : contextsOf(episodes);
  return clone(run, items, examplesOf, options, ({ episode }) => episode);
}

/** `further`: metrics that are logged beside those of the loss. */
export function cloneConversations(
  run: AlgorithmRun,
  conversations: readonly EncodedConversation[],
  options: CloneOptions,
  further: Metrics = {},
): Promise<void> {
  const [weight, of] = ['algorithm.loss.observation_weight', 'algorithm.batch.of'];
  if (options.loss.observationWeight > 0)
    throw new Error(
      `${weight}=${options.loss.observationWeight}: in conversations the template's mask decides what is learned\n` +
        `  write ${weight}=0, or play.as_chat=false`,
    );
  if (options.batch.of === 'episodes')
    throw new Error(
      `${of}=episodes: a dataset of conversations has no episodes\n  write ${of}=contexts, or play.as_chat=false`,
    );
  const examplesOf = (items: readonly EncodedConversation[]) => withMetrics(conversationExamples(items), further);
  return clone(run, conversations, examplesOf, options);
}

const withMetrics = <Item>(examples: Examples<Item>, further: Metrics): Examples<Item> => ({
  ...examples,
  metricsOf: (interval) => ({ ...examples.metricsOf(interval), ...further }),
});

async function clone<Item>(
  run: AlgorithmRun,
  items: readonly Item[],
  examplesOf: (items: readonly Item[], observationWeight?: number) => Examples<Item>,
  options: CloneOptions,
  groupOf?: (item: Item) => number,
): Promise<void> {
  if (options.actor.dropout) run.policy.useDropout(options.seed);
  const { training, validation } = heldOut(items, options, groupOf);
  const { size, accumulationSteps: parts } = options.batch;
  const batchSize = size * parts;
  const held = validation.length > 0 ? examplesOf(validation, 0) : null;
  const evaluation = datasetEvaluation(
    run,
    {
      heldOutLoss: held && (() => lossOf(run, held, options)),
      openPlayer: run.openPlayer,
      ...stepsOf(training.length, batchSize, options.epochs),
    },
    options,
  );
  const { loggingSteps } = options;
  await imitate(run, examplesOf(training), options, { batchSize, parts, loggingSteps, evaluation });
}

async function lossOf<Item>(
  { policy }: AlgorithmRun,
  { items, batchOf, metricsOf }: Examples<Item>,
  { batch }: CloneOptions,
): Promise<Metrics> {
  const { examples, count } = batchOf(items);
  const nll = await weightedLoss(policy, examples, batch.size);
  const named = metricsOf({ nll, steps: 0, count, lr: 0 });
  return {
    'eval/nll': nll,
    ...('losses/perplexity' in named && { 'eval/perplexity': named['losses/perplexity'] }),
  };
}
