// ArCHer: a critic over utterances, learnt off-policy, teaches a policy over tokens by REINFORCE.
// Source: Zhou et al. 2024, arXiv:2402.19446, algorithm 1; details and defaults from the authors' code at 7c771a7.
// Differs from that code, each switchable: see docs/algorithms/archer.md.
import { mean, minimum, maximum, Rng, standardDeviation, utteranceAdvantages, type Trajectory } from '@bowyer/core';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { updateCritic, type CriticOptions, type CriticRun } from '../update/critic-update.js';
import { criticCalibration, evaluate } from '../rollout/evaluate.js';
import { freshUtterances, type FreshUtterances } from '../rollout/fresh-utterances.js';
import { PolicyPlayer } from '../rollout/policy-player.js';
import { policyRate } from '../update/policy-rate.js';
import { tokenExamples } from '../update/token-examples.js';
import type { LoopOptions, Metrics, OpenPlayer, ReplayItem } from '../types.js';

export interface ArcherOptions extends LoopOptions, CriticOptions {
  /** Optimizer steps on the policy per iteration. */
  actorEpochs: number;
  /**
   * `rollout`: each actor step takes its share of the utterances just sampled, with their mean as the loss.
   * `replay`: as in the paper, fresh utterances at states from the replay buffer.
   */
  actorSamples: 'rollout' | 'replay';
}

export async function archer(run: CriticRun, options: ArcherOptions): Promise<void> {
  const { policy, critic, replay, hooks } = run;
  const openPlayer: OpenPlayer = (sampling) => PolicyPlayer.open(policy, options.slots, sampling, run.dialogues);
  const sample: FreshUtterances = (items, rng) => freshUtterances(openPlayer, items, options, rng);

  for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
    const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

    // Roll out the current policy and store every turn.
    const rollout = await collect(run, openPlayer, iteration, options);
    for (const trajectory of rollout) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
    const metrics: Metrics = rolloutMetrics(rollout);

    // Utterance level: TD on the replay buffer, the target critic follows slowly.
    Object.assign(metrics, await updateCritic(run, sample, rng, options));

    // Token level: REINFORCE with the utterance's advantage on each of its tokens.
    if (iteration >= options.warmupIter) {
      Object.assign(metrics, await updateActor(run, rollout, sample, rng, policyRate(iteration, options), options));
    }

    if ((iteration + 1) % options.evalFreq === 0) {
      const evaluation = await evaluate(run, openPlayer, options);
      Object.assign(
        metrics,
        evaluation.metrics,
        await criticCalibration(critic, evaluation.trajectories, options.gamma),
      );
      await hooks.keepBest(iteration, evaluation.metrics['eval/episodic_return']);
    }
    await hooks.log(iteration, metrics, rollout);
    if ((iteration + 1) % options.saveFreq === 0 || hooks.stopRequested) await hooks.checkpoint(iteration + 1);
  }
}

/** `actorEpochs` steps of L = −mean A(s, a) · Σ_t log π(a_t | s, a_<t), A from the online critic. */
async function updateActor(
  { policy, critic, replay, clip, hooks }: CriticRun,
  rollout: readonly Trajectory[],
  sample: FreshUtterances,
  rng: Rng,
  lr: number,
  options: ArcherOptions,
): Promise<Metrics> {
  const shares = shareOut(rng.shuffle(rollout), options.actorEpochs);
  const advantagesSeen: number[] = [];
  const losses: number[] = [];
  const norms: number[] = [];

  for (let epoch = 0; epoch < options.actorEpochs; epoch++) {
    const batches =
      options.actorSamples === 'rollout'
        ? [shares[epoch].flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })))]
        : await replayBatches(replay.sample(options.batchSize * options.gradAccumSteps, rng), options, sample, rng);
    for (const batch of batches) {
      if (batch.length === 0) continue;
      const transitions = batch.map(({ trajectory, turn }) => trajectory.transitions[turn]);
      const heads = await critic.evaluate(
        transitions.map(({ observation }) => observation),
        transitions.map(({ action }) => action),
        'online',
      );
      const advantages = utteranceAdvantages(heads);
      const { loss } = await policy.accumulateGradients(
        tokenExamples(
          batch.map((item, i) => ({ ...item, weight: advantages[i] / batch.length })),
          options,
        ),
      );
      losses.push(loss);
      advantagesSeen.push(...advantages);
    }
    norms.push(await clip.step('policy', policy.optimizer, lr, batches.length, options));
    hooks.progress('actor', epoch + 1, options.actorEpochs);
  }
  return {
    'losses/policy': mean(losses),
    'optim/policy_gradient_norm': mean(norms),
    'optim/lm_lr': lr,
    'actor/advantages_mean': mean(advantagesSeen),
    'actor/advantages_std': standardDeviation(advantagesSeen),
    'actor/advantages_min': minimum(advantagesSeen),
    'actor/advantages_max': maximum(advantagesSeen),
  };
}

/** The paper's actor samples: micro-batches of fresh utterances at replayed states. */
async function replayBatches(
  items: readonly ReplayItem[],
  { batchSize }: ArcherOptions,
  sample: FreshUtterances,
  rng: Rng,
): Promise<ReplayItem[][]> {
  const fresh = await sample(items, rng);
  return shareOut(fresh, Math.ceil(fresh.length / batchSize));
}

/** Splits items in order into `count` parts whose sizes differ by at most one. */
function shareOut<T>(items: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor((i * items.length) / count), Math.floor(((i + 1) * items.length) / count)),
  );
}
