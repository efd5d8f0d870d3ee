// Behaviour cloning: maximise the likelihood of what demonstrators said, the supervised warm start of every agent here.
// Loss as in the authors' code of Zhou et al. 2024 (arXiv:2402.19446): L = −mean over utterances of Σ_t log π(a_t | s, a_<t).
// Differs from it: a whole dialogue is one sequence, so every history is read once; warm-up and decay of the rate; the clip.
import { minibatches, Rng, scheduledRate, type LearningRateSchedule } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { demonstrationSegment, tokenExamples, type Demonstration } from './token-examples.js';
import type { Metrics } from './types.js';

export interface BcOptions {
  seed: number;
  /** Passes over the demonstrations. */
  epochs: number;
  /** Dialogues per optimizer step. */
  batchSize: number;
  lr: number;
  /** Optimizer steps of linear warm-up. */
  warmupSteps: number;
  /** Rate at the end as a share of `lr`, after a linear decay. */
  finalLrShare: number;
  /** Instead of that linear decay and its warm-up, another schedule. */
  schedule?: LearningRateSchedule;
  maxGradNorm: number;
  scoreTerminator: boolean;
}

export interface BcRun {
  policy: LanguageModel;
  demonstrations: readonly Demonstration[];
  terminatorId: number;
  /** Called after every epoch. */
  onEpoch(epoch: number, metrics: Metrics): Promise<void>;
  progress(done: number, total: number): void;
}

export async function bc(
  { policy, demonstrations, terminatorId, onEpoch, progress }: BcRun,
  options: BcOptions,
): Promise<void> {
  const dialogues = demonstrations.map((demonstration) => ({
    segments: [demonstrationSegment(demonstration, policy.tokenizer, terminatorId)],
  }));
  const stepsPerEpoch = Math.ceil(dialogues.length / options.batchSize);
  const totalSteps = options.epochs * stepsPerEpoch;
  const { schedule = { kind: 'linear', warmupSteps: options.warmupSteps, finalShare: options.finalLrShare } } = options;

  let step = 0;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    let lossSum = 0;
    for (const batch of minibatches(dialogues, options.batchSize, Rng.forPurpose(options.seed, `bc/${epoch}`))) {
      const turns = batch.flatMap((trajectory) =>
        trajectory.segments[0].utterances.map(({ turn }) => ({ trajectory, turn })),
      );
      const examples = tokenExamples(
        turns.map((item) => ({ ...item, weight: 1 / turns.length })),
        options,
      );
      const { loss } = await policy.accumulateGradients(examples);
      const lr = scheduledRate(options.lr, step, totalSteps, schedule);
      await policy.optimizer.step({ lr, maxGradNorm: options.maxGradNorm });
      lossSum += loss;
      progress(++step, totalSteps);
    }
    await onEpoch(epoch, { 'losses/nll': lossSum / stepsPerEpoch, 'optim/steps': step });
  }
}
