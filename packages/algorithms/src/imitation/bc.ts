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
// the mean is of the whole batch of an optimizer step, not of a micro-batch; a message's own `loss` is respected (see the chat
// template).
import { Type } from '@sinclair/typebox';
import { type OptionsOf, type Trajectory } from '@bowyer/core';
import { datasetEvaluation, heldOut } from '../dataset/dataset-evaluation.js';
import { datasetKeys, stepsOf } from '../dataset/passes.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { datasetOf } from '../run/training-run.js';
import { contextsOf, conversationExamples, episodeExamples, weightedLoss, type Examples } from './examples.js';
import { imitate } from './imitate.js';

/** Config keys of methods whose loss is the likelihood of given actions alone. */
export const cloneKeys = {
  batch_of: Type.Union([Type.Literal('contexts'), Type.Literal('episodes')], {
    description:
      "'contexts': where an episode's turns do not continue each other, each of its contexts is an item of its own; 'episodes': a batch has all contexts of its episodes, and their common beginnings are computed once (on the CPU, with observation_weight=0, without dropout)",
  }),
  dropout: Type.Boolean({
    description: 'training drops activations with the probabilities of the model’s config.json',
  }),
  observation_weight: Type.Number({
    minimum: 0,
    description:
      'weight of −log p of each token that the environment wrote, beside the mean over utterances; 0: only actions are trained on',
  }),
};

const options = Type.Object({ ...datasetKeys, ...cloneKeys }, { additionalProperties: false });

export type BcOptions = OptionsOf<typeof options> & PlayOptions;

export const bc = defineAlgorithm({
  name: 'bc',
  description: 'behaviour cloning: maximises the likelihood of the actions in a dataset',
  options,
  needs: { source: 'dataset' },

  async train(run, options) {
    const dataset = datasetOf(run);
    if (dataset.kind === 'episodes') return cloneEpisodes(run, dataset.episodes, options);
    if (options.observationWeight > 0)
      throw new Error(
        `observation_weight=${options.observationWeight}: in conversations the template's mask decides what is learned\n` +
          '  write observation_weight=0, or play_as_chat=false',
      );
    if (options.batchOf === 'episodes')
      throw new Error(
        'batch_of=episodes: a dataset of conversations has no episodes\n  write batch_of=contexts, or play_as_chat=false',
      );
    return clone(run, dataset.conversations, conversationExamples, options);
  },
});

type Context = Pick<Trajectory, 'episode' | 'segments'>;

/** Behaviour cloning of episodes. @param further metrics that are logged beside those of the loss */
export function cloneEpisodes(
  run: AlgorithmRun,
  episodes: readonly Trajectory[],
  options: BcOptions,
  further: Metrics = {},
): Promise<void> {
  const { maskedTokenIds } = run.policy;
  const { scoreTerminator } = options;
  const examplesOf = (items: readonly Context[], observationWeight = options.observationWeight): Examples<Context> => {
    const examples = episodeExamples(items, { scoreTerminator, observationWeight, maskedTokenIds });
    return { ...examples, metricsOf: (interval) => ({ ...examples.metricsOf(interval), ...further }) };
  };
  const items = options.batchOf === 'episodes' ? episodes : contextsOf(episodes);
  return clone(run, items, examplesOf, options, ({ episode }) => episode);
}

async function clone<Item>(
  run: AlgorithmRun,
  items: readonly Item[],
  examplesOf: (items: readonly Item[], observationWeight?: number) => Examples<Item>,
  options: BcOptions,
  groupOf?: (item: Item) => number,
): Promise<void> {
  if (options.dropout) run.policy.useDropout(options.seed);
  const { training, validation } = heldOut(items, options, groupOf);
  const batchSize = options.batchSize * options.gradAccumSteps;
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
  const { gradAccumSteps: parts, loggingSteps } = options;
  await imitate(run, examplesOf(training), options, { batchSize, parts, loggingSteps, evaluation });
}

async function lossOf<Item>(
  { policy }: AlgorithmRun,
  { items, batchOf, metricsOf }: Examples<Item>,
  { batchSize }: BcOptions,
): Promise<Metrics> {
  const { examples, count } = batchOf(items);
  const nll = await weightedLoss(policy, examples, batchSize);
  const named = metricsOf({ nll, steps: 0, count, lr: 0 });
  return {
    'eval/nll': nll,
    ...('losses/perplexity' in named && { 'eval/perplexity': named['losses/perplexity'] }),
  };
}
