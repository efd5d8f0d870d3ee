// Online filtered behaviour cloning: imitate the best episodes that the policy itself has played.
// Source: baseline of Zhou et al. 2024, arXiv:2402.19446; the rule (0.9-quantile over all episodes ever played) from the
// authors' code at 7c771a7. The paper describes a filter over recent episodes: `filterWindow`.
import { episodicReturn, mean, quantile, ReplayBuffer, Rng, type Trajectory } from '@bowyer/core';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { evaluate } from '../rollout/evaluate.js';
import { PolicyPlayer } from '../rollout/policy-player.js';
import { policyRate } from '../update/policy-rate.js';
import { tokenExamples } from '../update/token-examples.js';
import type { LoopOptions, Metrics, OnlineRun, OpenPlayer, ReplayItem } from '../types.js';

export interface FilteredBcRun extends OnlineRun {
  /** All episodes that the filter may choose from, oldest first. */
  history: Trajectory[];
}

export interface FilteredBcOptions extends LoopOptions {
  /** Optimizer steps per iteration. */
  actorEpochs: number;
  batchSize: number;
  gradAccumSteps: number;
  gradReduction: 'sum' | 'mean';
  maxGradNorm: number;
  /** Episodes with a return at or above this quantile are imitated, in [0, 1]. */
  filterQuantile: number;
  /** Iterations whose episodes the filter looks at; null: all. */
  filterWindow: number | null;
}

export async function onlineFilteredBc(run: FilteredBcRun, options: FilteredBcOptions): Promise<void> {
  const { policy, history, hooks } = run;
  const openPlayer: OpenPlayer = (sampling) => PolicyPlayer.open(policy, options.slots, sampling, run.dialogues);

  for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
    const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

    const rollout = await collect(run, openPlayer, iteration, options);
    history.push(...rollout);
    if (options.filterWindow !== null) history.splice(0, history.length - options.filterWindow * options.rolloutSize);
    const metrics: Metrics = rolloutMetrics(rollout);

    // Keep the best episodes; ties at the cutoff all stay.
    const cutoff = quantile(history.map(episodicReturn), options.filterQuantile);
    const kept = history.filter((trajectory) => episodicReturn(trajectory) >= cutoff);
    metrics['filter/cutoff'] = cutoff;
    metrics['filter/kept_share'] = kept.length / history.length;

    if (iteration >= options.warmupIter)
      Object.assign(metrics, await imitate(run, kept, rng, policyRate(iteration, options), options));

    if ((iteration + 1) % options.evalFreq === 0) {
      const evaluation = await evaluate(run, openPlayer, options);
      Object.assign(metrics, evaluation.metrics);
      await hooks.keepBest(iteration, evaluation.metrics['eval/episodic_return']);
    }
    await hooks.log(iteration, metrics, rollout);
    if ((iteration + 1) % options.saveFreq === 0 || hooks.stopRequested) await hooks.checkpoint(iteration + 1);
  }
}

/** `actorEpochs` steps of L = −mean Σ_t log π(a_t | s, a_<t) over turns drawn with replacement from the kept episodes. */
async function imitate(
  { policy, replay, clip, hooks }: FilteredBcRun,
  kept: readonly Trajectory[],
  rng: Rng,
  lr: number,
  options: FilteredBcOptions,
): Promise<Metrics> {
  const buffer = new ReplayBuffer<ReplayItem>(replay.capacity);
  for (const trajectory of kept) trajectory.transitions.forEach((_, turn) => buffer.insert({ trajectory, turn }));
  const losses: number[] = [];
  const norms: number[] = [];
  for (let epoch = 0; epoch < options.actorEpochs; epoch++) {
    for (let micro = 0; micro < options.gradAccumSteps; micro++) {
      const batch = buffer.sample(options.batchSize, rng);
      const examples = tokenExamples(
        batch.map((item) => ({ ...item, weight: 1 / batch.length })),
        options,
      );
      losses.push((await policy.accumulateGradients(examples)).loss);
    }
    norms.push(await clip.step('policy', policy.optimizer, lr, options.gradAccumSteps, options));
    hooks.progress('imitation', epoch + 1, options.actorEpochs);
  }
  return { 'losses/nll': mean(losses), 'optim/policy_gradient_norm': mean(norms), 'optim/lm_lr': lr };
}
