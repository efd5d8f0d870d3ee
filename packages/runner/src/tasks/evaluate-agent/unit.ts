// task=evaluate_agent: how good an agent of the user is with one or more models, as a report and as a gate.
import { Type } from '@sinclair/typebox';
import { count, nullable, oneOf, type ConfigProblem, type OptionsOf } from '@bowyer/core';
import { deviceKeys, hubKeys, modelProblem, playKeys, policyKeys, templateKeys } from '@bowyer/agent';
import { runKeys, titleKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { agentKeys, modelKey } from '../train-agent/agent-keys.js';
import { agentProblems } from '../train-agent/agent-problems.js';

const evaluationKeys = {
  samples: count('rollouts of each task'),
  eval_decoding: oneOf(
    ['sample', 'greedy'],
    'how answers are chosen: sampled as the agent’s requests say, or the likeliest token each time',
  ),
  success_reward: Type.Number({ description: 'smallest reward of a success, for pass@k and pass^k' }),
  compare_with: Type.Array(Type.String(), {
    description: 'further models with which the agent plays the same tasks, such as the one before training',
  }),
  fail_below: nullable(
    Type.Number(),
    'the run fails (exit code 1) where the mean reward with `model` is below this number; null: it never does',
  ),
  fail_drop: nullable(
    Type.Number({ minimum: 0 }),
    'the run fails where the mean reward with `model` is lower by more than this number than with a model of compare_with, on the same tasks; null: it never does',
  ),
};

export type EvaluationKeys = OptionsOf<ReturnType<typeof evaluationSchema>>;
const evaluationSchema = () => Type.Object(evaluationKeys);

export const evaluateAgentTask: TaskUnit = {
  name: 'evaluate_agent',
  description: 'play an agent of yours on its test tasks with one or more models, and compare them',
  keys: () => ({
    ...runKeys,
    ...titleKeys,
    ...deviceKeys,
    ...hubKeys,
    ...templateKeys,
    ...agentKeys,
    ...modelKey,
    ...evaluationKeys,
    max_failure_share: playKeys.max_failure_share,
    quantization: policyKeys.quantization,
  }),
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw & Parameters<typeof agentProblems>[0] & EvaluationKeys;
    const problems: ConfigProblem[] = agentProblems(config);
    for (const [key, place] of [
      ['model', config.model] as const,
      ...config.compareWith.map((one) => ['compare_with', one] as const),
    ]) {
      const problem = await modelProblem(key, place);
      if (problem !== null) problems.push(problem);
    }
    if (config.failDrop !== null && config.compareWith.length === 0)
      problems.push({
        key: 'fail_drop',
        message: `fail_drop=${config.failDrop}: there is no other model to compare with`,
        remedy: 'give compare_with=[FOLDER], or write fail_drop=null',
      });
    return problems;
  },
  load: async () => (await import('./evaluate-agent.js')).evaluateAgent,
};
