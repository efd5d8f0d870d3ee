// ArCHer: a critic over utterances, learned off-policy, trains a policy over tokens by REINFORCE.
// Source: Zhou et al. 2024, arXiv:2402.19446, algorithm 1; details and defaults from the authors' code at 7c771a7.
// Differs from that code, each switchable: see docs/algorithms/archer.md.
import { Type } from '@sinclair/typebox';
import {
  mean,
  oneOf,
  Rng,
  utteranceAdvantages,
  type ConfigProblem,
  type OptionsOf,
  type Trajectory,
} from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { endIteration, endPostponed } from '../rollout/end-iteration.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { criticCalibration } from '../rollout/evaluate.js';
import { freshBatch } from '../rollout/fresh-utterances.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { policyPlayer } from '../rollout/policy-player.js';
import { insertTurns, openReplay, rewardMetrics } from '../rollout/replay.js';
import { noteEstimate } from '../rollout/turn-estimates.js';
import type { Metrics, PlayOptions, ReplayItem } from '../types.js';
import { accumulateActor, actorLossKeys, baselineProblems, type Actor } from '../update/actor-update.js';
import { importanceClipKey } from '../update/critic-targets.js';
import { criticKeys, criticProblems, updateCritic, type CriticUpdate } from '../update/critic-update.js';
import { importanceWeights } from '../update/importance-weights.js';
import { klReference } from '../update/kl-reference.js';
import { neverTrains, policyRate } from '../update/policy-rate.js';
import { policyKeys } from '../update/policy-keys.js';
import { RunningMeans } from '../update/running-means.js';
import { SharedClip } from '../update/shared-clip.js';
import { summary } from '../update/summary.js';
import { criticOf, defineAlgorithm, valueModelOf } from '../unit.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    ...criticKeys,
    ...importanceClipKey,
    ...policyKeys,
    ...actorLossKeys,
    clip_scope: oneOf(
      ['own', 'all'],
      'gradients under the norm clip: of the network being stepped, or of all networks, as in the code of ArCHer',
    ),
    actor_samples: oneOf(
      ['rollout', 'replay'],
      'utterances that the policy trains on: those of the new episodes, or fresh samples at replayed states, as in the paper',
    ),
  },
  { additionalProperties: false },
);

type ArcherOptions = OptionsOf<typeof options> & PlayOptions;
type ActorCritic = CriticUpdate & Actor;

export const archer = defineAlgorithm({
  name: 'archer',
  aliases: ['archer_llm'],
  description: 'ArCHer: a critic over utterances, learned off-policy, trains a policy over tokens by REINFORCE',
  options,
  needs: { critic: 'double', source: 'episodes' },
  valueFunction: ({ useBaseline }) => (useBaseline ? 'critic' : null),
  trainsPolicy: true,
  trainsWithChoices: ['constrained'],
  choiceProblems: ({ actorSamples, vTargetAction }) => [
    ...atReplayedStates('actor_samples', actorSamples === 'replay', 'replay', 'rollout'),
    ...atReplayedStates('v_target_action', vTargetAction === 'policy', 'policy', 'stored'),
  ],
  playerOptions: [],
  openPlayer: policyPlayer,
  offPolicyRollouts: ({ importanceClip }) =>
    importanceClip !== null
      ? []
      : [
          {
            key: 'importance_clip',
            message:
              'importance_clip=null: utterances of another policy, or of an earlier one, would count as the policy’s own',
            remedy: 'give the bound of the weights π/μ, such as importance_clip=5',
          },
        ],

  async train(run, options) {
    const { policy, hooks } = run;
    const critic = criticOf(run);
    const openPlayer = policyPlayer(run, options);
    const replay = openReplay(run, options.capacity);
    insertTurns(replay, run.history);
    const clip = new SharedClip(options.clipScope, (run.state.clip ??= {}) as Record<string, number>);
    const reference = await klReference(run, options);
    const baseline = options.useBaseline ? valueModelOf(run) : null;
    const { ranks } = run;
    const learner: ActorCritic = { policy, reference, baseline, critic, replay, clip, hooks, ranks, openPlayer };
    const { importanceClip } = options;
    const weightsOf =
      importanceClip === null
        ? null
        : (episodes: Iterable<Trajectory>) => importanceWeights(policy, episodes, importanceClip);

    const evaluated = {
      openPlayer,
      judge: (episodes: readonly Trajectory[]) => criticCalibration(critic, episodes, options.gamma),
    };

    await endPostponed(run, evaluated, options);
    for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
      const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

      // Roll out the current policy and store every turn.
      const rollout = await collect(run, openPlayer, iteration, options);
      insertTurns(replay, rollout);
      const metrics: Metrics = { ...rolloutMetrics(rollout), ...rewardMetrics(rollout) };

      // Utterance level: TD on the replay buffer, the target critic follows slowly.
      Object.assign(metrics, await updateCritic(learner, rng, options, weightsOf));

      // Token level: REINFORCE with the utterance's advantage on each of its tokens.
      if (iteration >= options.warmupIter)
        Object.assign(metrics, await updateActor(learner, rollout, rng, policyRate(iteration, options), options));

      await endIteration(run, { iteration, metrics, rollout }, evaluated, options);
    }
    await reference?.release();
  },

  problems: (options) => [
    ...neverTrains(options),
    ...criticProblems(options),
    ...baselineProblems(options),
    ...emptySteps(options),
  ],
  frozenIterations: ({ warmupIter }) => warmupIter,
});

/** A problem where the policy is asked again at replayed states, whose valid actions are not kept. */
const atReplayedStates = (key: string, asks: boolean, value: string, other: string): ConfigProblem[] =>
  asks
    ? [
        {
          key,
          message: `${key}=${value}: the policy would choose at replayed states, whose valid actions are not kept`,
          remedy: `write ${key}=${other}, or action_choice=free`,
        },
      ]
    : [];

/** A problem where some policy steps would have no data. */
function emptySteps({
  actorSamples,
  actorEpochs,
  rolloutSize,
}: Pick<ArcherOptions, 'actorSamples' | 'actorEpochs' | 'rolloutSize'>): ConfigProblem[] {
  if (actorSamples !== 'rollout' || actorEpochs <= rolloutSize) return [];
  return [
    {
      key: 'actor_epochs',
      message: `actor_epochs=${actorEpochs} is more than the ${rolloutSize} episodes of a rollout, so some policy steps would have no data`,
      remedy: 'lower actor_epochs, raise rollout_size, or give actor_samples=replay',
    },
  ];
}

/** `actorEpochs` steps of L = −mean A(s, a) · Σ_t log π(a_t | s, a_<t), A from the online critic. */
async function updateActor(
  learner: ActorCritic,
  rollout: readonly Trajectory[],
  rng: Rng,
  lr: number,
  options: ArcherOptions,
): Promise<Metrics> {
  const { policy, baseline, critic, replay, clip, hooks } = learner;
  const shares = shareOut(rng.shuffle(rollout), options.actorEpochs);
  const advantagesSeen: number[] = [];
  const means = new RunningMeans();
  const norms: number[] = [];

  for (let epoch = 0; epoch < options.actorEpochs; epoch++) {
    const batches =
      options.actorSamples === 'rollout'
        ? [shares[epoch].flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })))]
        : await replayBatches(replay.sample(options.batchSize * options.gradAccumSteps, rng), learner, rng, options);
    for (const batch of batches) {
      if (batch.length === 0) continue;
      const transitions = batch.map(({ trajectory, turn }) => trajectory.transitions[turn]);
      const heads = await critic.evaluate(
        transitions.map(({ observation }) => observation),
        transitions.map(({ action }) => action),
        'online',
      );
      const advantages = utteranceAdvantages(heads);
      const judged = batch.map((item, i) => ({ ...item, advantage: advantages[i] }));
      judged.forEach(({ trajectory, turn, advantage }, i) =>
        noteEstimate(trajectory, turn, {
          q: Math.min(heads.q1[i], heads.q2[i]),
          v: Math.min(heads.v1[i], heads.v2[i]),
          advantage,
        }),
      );
      means.add(await accumulateActor(learner, judged, options));
      for (const advantage of advantages) advantagesSeen.push(advantage);
    }
    norms.push(await clip.step('policy', policy.optimizer, lr, batches.length, options));
    if (baseline) await stepBaseline(baseline, batches.length, options.baselineLr ?? lr, options);
    hooks.progress('actor', epoch + 1, options.actorEpochs);
  }
  return {
    ...means.values(),
    'optim/policy_gradient_norm': mean(norms),
    'optim/lm_lr': lr,
    ...summary('actor/advantages', advantagesSeen),
  };
}

/** One optimizer step of the baseline, network and head, on what the micro-batches added. */
async function stepBaseline(
  baseline: LanguageModel,
  microBatches: number,
  lr: number,
  { maxGradNorm, gradReduction }: Pick<ArcherOptions, 'maxGradNorm' | 'gradReduction'>,
): Promise<void> {
  const step = { lr, maxGradNorm, gradientScale: gradReduction === 'mean' ? 1 / microBatches : 1 };
  await baseline.optimizer.step(step);
  await baseline.valueHead.optimizer.step(step);
}

/** The paper's actor samples: micro-batches of fresh utterances at replayed states. */
async function replayBatches(
  items: readonly ReplayItem[],
  { openPlayer, ranks }: Pick<ActorCritic, 'openPlayer' | 'ranks'>,
  rng: Rng,
  options: ArcherOptions,
): Promise<ReplayItem[][]> {
  const fresh = await freshBatch(openPlayer, items, { ...options, ranks }, rng);
  return shareOut(fresh, Math.ceil(fresh.length / options.batchSize));
}

/** Splits items, in order, into `count` parts whose sizes differ by at most one. */
function shareOut<T>(items: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, i) =>
    items.slice(Math.floor((i * items.length) / count), Math.floor(((i + 1) * items.length) / count)),
  );
}
