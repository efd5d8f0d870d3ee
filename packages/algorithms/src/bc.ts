// Behaviour cloning: maximise the likelihood of what demonstrators said, the supervised warm start of every agent here.
// Loss as in the authors' code of Zhou et al. 2024 (arXiv:2402.19446): L = −mean over utterances of Σ_t log π(a_t | s, a_<t).
// Differs from it: a whole dialogue is one sequence, so every history is read once; warm-up and decay of the rate; the clip.
import { minibatches, Rng, scheduledRate, type Demonstration, type LearningRateSchedule } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { untrained, type ImitationHooks } from './imitation.js';
import { demonstrationSegment, tokenExamples } from './token-examples.js';

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

export interface BcRun extends ImitationHooks {
  policy: LanguageModel;
  demonstrations: readonly Demonstration[];
  terminatorId: number;
}

/** @returns false where `afterStep` stopped it before its end */
export async function bc(
  { policy, demonstrations, terminatorId, from = untrained, onEpoch, progress, afterStep }: BcRun,
  options: BcOptions,
): Promise<boolean> {
  const dialogues = demonstrations.map((demonstration) => ({
    segments: [demonstrationSegment(demonstration, policy.tokenizer, terminatorId)],
  }));
  const stepsPerEpoch = Math.ceil(dialogues.length / options.batchSize);
  const totalSteps = options.epochs * stepsPerEpoch;
  const { schedule = { kind: 'linear', warmupSteps: options.warmupSteps, finalShare: options.finalLrShare } } = options;

  let { step, lossSum, count } = from;
  for (let epoch = Math.floor(step / stepsPerEpoch); epoch < options.epochs; epoch++) {
    const batches = [...minibatches(dialogues, options.batchSize, Rng.forPurpose(options.seed, `bc/${epoch}`))];
    for (const batch of batches.slice(step % stepsPerEpoch)) {
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
      count++;
      progress(++step, totalSteps);
      if (step % stepsPerEpoch === 0) {
        await onEpoch(epoch, { 'losses/nll': lossSum / count, 'optim/steps': step });
        lossSum = count = 0;
      }
      if ((await afterStep?.({ step, lossSum, count })) === false) return false;
    }
  }
  return true;
}
