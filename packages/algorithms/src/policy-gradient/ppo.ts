// PPO takes several clipped steps on each rollout, with advantages from a learned value function.
// Source: Schulman et al. 2017, arXiv:1707.06347, algorithm 1 and eq. 7 to 9:
//
//     L = E[ min(ρ A, clip(ρ, 1 − ε, 1 + ε) A) ] − c₁ E[ (V − R)² ] + c₂ H        A by GAE(γ, λ), R = A + V
//
// on language models with a KL penalty against the initial policy (Ziegler et al. 2019, arXiv:1909.08593). One step of GAE is a turn
// (Turn-PPO, arXiv:2512.17008), a token, or both in two levels (RAGEN). Differences from the sources: see ppo.md.
import {
  adaptedKlCoefficient,
  correlation,
  group,
  mean,
  optional,
  positive,
  standardDeviation,
  unitOptions,
  whiten,
  type ConfigProblem,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import { neverTrains, policyRate, warmedUpActor } from '../learning/policy-rate.js';
import { klReference, referenceOption, type ReferencePolicy } from '../learning/reference-policy.js';
import { turnsOf, utterancesOf } from '../learning/pack-turns.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { valueModelOf, type TrainingRun } from '../run/training-run.js';
import {
  klMembers,
  passMembers,
  policyUpdateProblems,
  surrogateLoss,
  surrogateOffPolicyProblems,
} from './policy-loss.js';
import { referenceLogprobs, updatePolicy } from './policy-update.js';
import {
  episodeEstimate,
  episodeValues,
  updateCriticNetwork,
  valueOptions,
  valueOnTrunk,
  type ValuedTurn,
} from './value-function.js';

const options = unitOptions({
  ...loopOptions({ iterations: 150 }),
  ...valueOptions,
  actor: warmedUpActor({ lr: 1e-6, warmupIterations: 0 }, passMembers({ epochs: 3, minibatchSize: 32 })),
  loss: surrogateLoss(),
  kl: group(
    {
      ...klMembers({ coefficient: 0.01, kind: 'reward' }),
      adaptive_target: optional(
        positive,
        'target of the KL to the reference policy, in nats per episode, to which algorithm.kl.coefficient is adapted (Ziegler et al.); null: it stays as it is',
        { flat: 'adaptive_kl_target' },
      ),
    },
    'the penalty that keeps the policy near its start',
  ),
  reference: referenceOption,
});

type PpoOptions = OptionsOf<typeof options> & PlayOptions;

export const ppo = defineAlgorithm({
  name: 'ppo',
  description: 'PPO: several clipped steps on each rollout, with advantages from a learned value function',
  options,
  valueFunction: ({ value }) => value.function,
  needsNoDropout: true,

  async train(run, options) {
    const { policy, state } = run;
    const critic = valueModelOf(run);
    const reference = await klReference(run, options);
    const learner = { ...run, reference };

    for await (const iteration of run.iterations()) {
      const rng = run.updateRng(iteration);
      const klCoefficient = (state.klCoefficient as number | undefined) ?? options.kl.coefficient;

      const rollout = await run.collect(iteration);
      const { turns, metrics } = await valuedTurns(run, rollout, reference, klCoefficient, options);
      Object.assign(metrics, rolloutMetrics(rollout));

      // Make several clipped steps on the rollout; in the warm-up only V is trained.
      const lr = iteration < options.actor.warmupIterations ? 0 : run.stepScale * policyRate(iteration, options);
      const value = options.value.function === 'trunk' ? valueOnTrunk(policy, options) : undefined;
      if (!value) Object.assign(metrics, await updateCriticNetwork({ ...run, critic }, turns, rng, options));
      Object.assign(metrics, await updatePolicy(learner, turns, { rng, lr, klCoefficient }, options, value));

      // Adapt the coefficient of the KL penalty.
      const { adaptiveTarget } = options.kl;
      if (adaptiveTarget !== null)
        state.klCoefficient = adaptedKlCoefficient(klCoefficient, metrics['rollout/kl_reference'], adaptiveTarget);

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options) => [...neverTrains(options), ...policyUpdateProblems(options), ...contradictions(options)],
  frozenIterations: ({ actor }) => actor.warmupIterations,
  trainsWithChoices: ['constrained'],
  offPolicyRollouts: surrogateOffPolicyProblems,
});

async function valuedTurns(
  run: TrainingRun,
  rollout: readonly Trajectory[],
  reference: ReferencePolicy | null,
  klCoefficient: number,
  options: PpoOptions,
): Promise<{ turns: ValuedTurn[]; metrics: Metrics }> {
  const model = valueModelOf(run);
  const values = await episodeValues({ model, dialogues: run.dialogues }, rollout, options);
  const refs = reference && (await referenceLogprobs(reference, turnsOf(rollout), options));
  let next = 0;
  const episodeKls: number[] = [];
  const turns = rollout.flatMap((trajectory, e): ValuedTurn[] => {
    const refLogprobs = refs?.slice(next, (next += trajectory.transitions.length));
    const kls = refLogprobs ? tokenKls(trajectory, refLogprobs) : [];
    episodeKls.push(kls.reduce((sum, own) => sum + own.reduce((total, kl) => total + kl, 0), 0));
    const penalties = options.kl.in === 'reward' ? kls.map((own) => own.map((kl) => klCoefficient * kl)) : [];
    const estimate = episodeEstimate(trajectory, values[e], penalties, options);
    trajectory.transitions.forEach((_, turn) =>
      noteEstimate(trajectory, turn, { v: values[e].turns[turn][0], advantage: mean(estimate.advantages[turn]) }),
    );
    return trajectory.transitions.map((_, turn) => ({
      trajectory,
      turn,
      refLogprobs: refLogprobs?.[turn],
      advantages: options.advantage.level === 'turn' ? estimate.advantages[turn][0] : estimate.advantages[turn],
      values: values[e].turns[turn],
      returns: estimate.returns[turn],
    }));
  });
  const metrics: Metrics = {
    ...valueFit(turns),
    'rollout/truncated_share': mean(rollout.map(({ transitions }) => +transitions.at(-1)!.truncated)),
  };
  if (reference) metrics['rollout/kl_reference'] = mean(episodeKls);
  if (reference) metrics['actor/kl_coefficient'] = klCoefficient;
  return { turns: options.advantage.whiten ? whitened(turns) : turns, metrics };
}

/** Computes log π / π_ref of each scored token, [turns] of [tokens], in nats; the mean estimates the KL to the reference. */
const tokenKls = (trajectory: Trajectory, refLogprobs: readonly Float32Array[]): Float32Array[] => {
  const utterances = utterancesOf(trajectory);
  return refLogprobs.map((ref, turn) => ref.map((logprob, t) => utterances.get(turn)!.logprobs[t] - logprob));
};

/** Measures how well V predicts its targets. */
function valueFit(turns: readonly ValuedTurn[]): Metrics {
  const values = turns.flatMap((turn) => [...turn.values]);
  const returns = turns.flatMap((turn) => [...turn.returns]);
  const spread = standardDeviation(returns) ** 2;
  const unexplained = standardDeviation(returns.map((target, i) => target - values[i])) ** 2;
  return {
    'critic/values_mean': mean(values),
    'critic/returns_mean': mean(returns),
    'critic/explained_variance': spread === 0 ? 0 : 1 - unexplained / spread,
    'critic/value_return_correlation': correlation(values, returns),
  };
}

/** Scales advantages to mean 0 and standard deviation 1 over all steps of GAE: turns, or tokens. */
function whitened(turns: readonly ValuedTurn[]): ValuedTurn[] {
  const all = whiten(
    Float32Array.from(
      turns.flatMap(({ advantages }) => (typeof advantages === 'number' ? [advantages] : [...advantages])),
    ),
  );
  let next = 0;
  return turns.map((turn) => ({
    ...turn,
    advantages: typeof turn.advantages === 'number' ? all[next++] : all.slice(next, (next += turn.advantages.length)),
  }));
}

function contradictions({ advantage, actor, kl }: OptionsOf<typeof options>): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const [terminator, target] = ['algorithm.actor.score_terminator', 'algorithm.kl.adaptive_target'];
  if (advantage.level !== 'turn' && !actor.scoreTerminator)
    problems.push({
      key: terminator,
      message: `${terminator}=false with algorithm.advantage.level=${advantage.level}: an utterance may be empty, and no token would carry its reward`,
      remedy: `write ${terminator}=true, or algorithm.advantage.level=turn`,
    });
  if (kl.adaptiveTarget !== null && kl.coefficient === 0)
    problems.push({
      key: target,
      message: `${target}=${kl.adaptiveTarget} with algorithm.kl.coefficient=0: there is no penalty to adapt`,
      remedy: `give the coefficient to begin with, such as algorithm.kl.coefficient=0.2, or ${target}=null`,
    });
  return problems;
}
