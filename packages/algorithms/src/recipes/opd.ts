// On-policy distillation: the student plays, and a teacher says of each of its tokens how likely it would have been.
// Source: the reverse KL on the student's own samples of Agarwal et al. 2024 (GKD), arXiv:2306.13649, with the policy gradient of Gu et
// al. 2024 (MiniLLM), arXiv:2306.08543, without rewards of later tokens:
//
//     A_t = −(log π_old(a_t | s, a_<t) − log π_teacher(a_t | s, a_<t))        L: the clipped surrogate of these advantages
//
// so that E[A_t] = −KL(π ‖ π_teacher) at each of the student's contexts. The environment's rewards are not used.
// Differs from them: the KL is estimated from the sampled token, so that the teacher gives one number a token.
import { Type } from '@sinclair/typebox';
import { mean, nullable, Rng, type ConfigProblem, type OptionsOf, type Trajectory } from '@bowyer/core';
import { endIteration, endPostponed } from '../rollout/end-iteration.js';
import { collect, rolloutMetrics } from '../rollout/collect.js';
import { evalDecodingKey, loopKeys } from '../rollout/loop-keys.js';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics, PlayOptions } from '../types.js';
import { rateKeys } from '../update/policy-rate.js';
import {
  policyUpdateProblems,
  referenceLogprobs,
  surrogateKeys,
  updatePolicy,
  type AdvantageTurn,
} from '../update/policy-update.js';
import { utterancesOf } from '../update/turn-batch.js';
import { defineAlgorithm, type ReferencePolicy } from '../unit.js';
import { rateAt } from './group-training.js';

const options = Type.Object(
  {
    ...loopKeys,
    ...evalDecodingKey,
    teacher: nullable(
      Type.String({ description: 'model' }),
      "model that the policy learns from, with the policy's tokenizer: a folder, a run, a name on the hub, or the address of a server (http://HOST:PORT/v1)",
    ),
    ...rateKeys,
    ...surrogateKeys,
  },
  { additionalProperties: false },
);

type OpdOptions = OptionsOf<typeof options> & PlayOptions;

export const opd = defineAlgorithm({
  name: 'opd',
  description: 'on-policy distillation: the policy plays, and a teacher rates each of its tokens',
  options,
  needs: { critic: null, source: 'episodes' },
  trainsPolicy: true,
  playerOptions: [],
  openPlayer: policyPlayer,

  async train(run, options) {
    const { hooks } = run;
    const openPlayer = policyPlayer(run, options);
    const teacher = await run.openTeacher(options.teacher!);
    try {
      const evaluated = { openPlayer };
      await endPostponed(run, evaluated, options);
      for (let iteration = run.firstIteration; iteration < options.iterations && !hooks.stopRequested; iteration++) {
        const rng = Rng.forPurpose(options.seed, `update/${iteration}`);

        const rollout = await collect(run, openPlayer, iteration, options);
        const metrics: Metrics = rolloutMetrics(rollout);

        const turns = await ratedTurns(teacher, rollout, options);
        const advantages = turns.flatMap(({ advantages }) => [...(advantages as Float32Array)]);
        metrics['distillation/reverse_kl'] = -mean(advantages);
        const step = { rng, lr: rateAt(iteration, options), klCoefficient: 0 };
        Object.assign(metrics, await updatePolicy(run, turns, step, options));

        await endIteration(run, { iteration, metrics, rollout }, evaluated, options);
      }
    } finally {
      await teacher.release();
    }
  },

  problems: (options): ConfigProblem[] => [...policyUpdateProblems(options), ...teacherProblems(options)],
});

/** Each turn with log π_teacher − log π_old of its tokens as advantages. */
async function ratedTurns(
  teacher: ReferencePolicy,
  rollout: readonly Trajectory[],
  options: OpdOptions,
): Promise<AdvantageTurn[]> {
  const turns = rollout.flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })));
  const ofTeacher = await referenceLogprobs(teacher, turns, options);
  return turns.map((item, i) => {
    const { logprobs = [] } = utterancesOf(item.trajectory).get(item.turn) ?? {};
    return { ...item, advantages: ofTeacher[i].map((logprob, t) => logprob - logprobs[t]) };
  });
}

/** A problem where there is no teacher. */
function teacherProblems({ teacher }: { teacher: string | null }): ConfigProblem[] {
  if (teacher !== null) return [];
  const remedy = "give a folder or a server with a model that has the policy's tokenizer: teacher=FOLDER";
  return [{ key: 'teacher', message: 'opd needs a teacher: teacher is null', remedy }];
}
