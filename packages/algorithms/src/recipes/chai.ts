// CHAI, online: a frozen policy proposes utterances, a learnt critic picks one.
// Source: Verma et al. 2022, arXiv:2204.08426; online form as the baseline of Zhou et al. 2024, arXiv:2402.19446.
// The critic is ArCHer's; the policy is never trained.
import { Rng } from '@bowyer/core';
import { BestOfNPlayer } from '../rollout/best-of-n-player.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { updateCritic, type CriticOptions, type CriticRun } from '../update/critic-update.js';
import { criticCalibration, evaluate } from '../rollout/evaluate.js';
import { freshUtterances, type FreshUtterances } from '../rollout/fresh-utterances.js';
import type { LoopOptions, Metrics, OpenPlayer } from '../types.js';

export interface ChaiOptions extends LoopOptions, CriticOptions {
  /** Utterances proposed per turn. */
  numCandidates: number;
}

export async function chai(run: CriticRun, options: ChaiOptions): Promise<void> {
  const { policy, critic, replay, hooks } = run;
  const openPlayer: OpenPlayer = (sampling) =>
    BestOfNPlayer.open(policy, critic, {
      ...{ slots: options.slots, candidates: options.numCandidates },
      ...{ sampling, dialogues: run.dialogues },
    });
  const sample: FreshUtterances = (items, rng) => freshUtterances(openPlayer, items, options, rng);

  for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
    const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

    // Roll out the best of N and store every turn.
    const rollout = await collect(run, openPlayer, iteration, options);
    for (const trajectory of rollout) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
    const metrics: Metrics = rolloutMetrics(rollout);

    // The critic learns the value of that way of acting.
    Object.assign(metrics, await updateCritic(run, sample, rng, options));

    if ((iteration + 1) % options.evalFreq === 0) {
      // Proposals must differ, so evaluation samples them too.
      const evaluation = await evaluate(run, openPlayer, { ...options, evalDoSample: true });
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
