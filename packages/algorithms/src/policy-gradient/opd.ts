// On-policy distillation lets the student play, and takes the log-probability of each of its tokens under a teacher as a reward. Source:
// the reverse KL on the student's own samples of Agarwal et al. 2024 (GKD), arXiv:2306.13649, with the policy gradient of Gu et al. 2024
// (MiniLLM), arXiv:2306.08543, where a token's reward is only its own term:
//
//     A_t = −(log π_old(a_t | s, a_<t) − log π_teacher(a_t | s, a_<t))        L is the clipped surrogate of these advantages
//
// so that E[A_t] = −KL(π ‖ π_teacher) at each of the student's contexts. The environment's rewards are not used.
// Differs from them: the KL is estimated from the sampled token, so the teacher gives one number per token.
import { Type } from '@sinclair/typebox';
import { mean, optional, unitOptions, type ConfigProblem, type OptionsOf, type Trajectory } from '@bowyer/core';
import { onlineActor, policyRate } from '../learning/policy-rate.js';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import { turnsOf, utterancesOf } from '../learning/pack-turns.js';
import { rolloutMetrics } from '../rollout/episode-metrics.js';
import { loopOptions } from '../rollout/loop-options.js';
import type { PlayOptions } from '../rollout/player.js';
import { defineAlgorithm } from '../run/algorithm-unit.js';
import { passMembers, policyUpdateProblems, surrogateLoss, type AdvantageTurn } from './policy-loss.js';
import { referenceLogprobs, updatePolicy } from './policy-update.js';

const options = unitOptions({
  ...loopOptions({ iterations: 150 }),
  teacher: optional(
    () => Type.String(),
    "model that the policy learns from, with the policy's tokenizer: a folder, a run, a name on the hub, or the address of a server (http://HOST:PORT/v1)",
    { flat: 'teacher' },
  ),
  actor: onlineActor({ lr: 1e-5 }, passMembers({ minibatchSize: 32 })),
  loss: surrogateLoss(),
});

type OpdOptions = OptionsOf<typeof options> & PlayOptions;

export const opd = defineAlgorithm({
  name: 'opd',
  description: 'on-policy distillation: the policy plays, and a teacher rates each of its tokens',
  options,

  async train(run, options) {
    const teacher = await run.openTeacher(options.teacher!);
    for await (const iteration of run.iterations()) {
      const rollout = await run.collect(iteration);
      const metrics = rolloutMetrics(rollout);

      const turns = await ratedTurns(teacher, rollout, options);
      metrics['distillation/reverse_kl'] = -mean(turns.flatMap(({ advantages }) => [...advantages]));

      const lr = run.stepScale * policyRate(iteration, options);
      const step = { rng: run.updateRng(iteration), lr, klCoefficient: 0 };
      Object.assign(metrics, await updatePolicy(run, turns, step, options));

      await run.endIteration(iteration, metrics, rollout);
    }
  },

  problems: (options): ConfigProblem[] => [...policyUpdateProblems(options), ...teacherProblems(options)],
});

async function ratedTurns(
  teacher: ReferencePolicy,
  rollout: readonly Trajectory[],
  options: OpdOptions,
): Promise<(AdvantageTurn & { advantages: Float32Array })[]> {
  const turns = turnsOf(rollout);
  const ofTeacher = await referenceLogprobs(teacher, turns, options);
  return turns.map((item, i) => {
    const { logprobs = [] } = utterancesOf(item.trajectory).get(item.turn) ?? {};
    return { ...item, advantages: ofTeacher[i].map((logprob, t) => logprob - logprobs[t]) };
  });
}

function teacherProblems({ teacher }: { teacher: string | null }): ConfigProblem[] {
  if (teacher !== null) return [];
  const remedy = "give a folder or a server with a model that has the policy's tokenizer: algorithm.teacher=FOLDER";
  return [{ key: 'algorithm.teacher', message: 'opd needs a teacher: algorithm.teacher is null', remedy }];
}
