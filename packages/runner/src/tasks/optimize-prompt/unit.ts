// task=optimize_prompt: better prompts for an agent of the user, from what it does with them.
import { Type } from '@sinclair/typebox';
import { changeableOnResume, count, nullable, type ConfigProblem, type OptionsOf } from '@bowyer/core';
import { deviceKeys, hubKeys, modelProblem, playKeys, policyKeys, templateKeys } from '@bowyer/agent';
import { runKeys, titleKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';
import { agentKeys, modelKey } from '../train-agent/agent-keys.js';
import { agentProblems } from '../train-agent/agent-problems.js';

const reflectorNode = Type.Object(
  {
    base_url: nullable(Type.String(), 'address up to the version, for instance http://127.0.0.1:8000/v1'),
    model: Type.String({ description: 'name of the model at the endpoint' }),
    api_key_env: changeableOnResume(
      nullable(Type.String(), 'environment variable that contains the key; null: none is sent'),
    ),
    temperature: Type.Number({ minimum: 0, description: 'sampling temperature, dimensionless' }),
    max_tokens: count('longest answer in tokens'),
    retries: changeableOnResume(count('further attempts after a failed request, or an answer without a text', 0)),
    timeout_ms: changeableOnResume(count('milliseconds that an answer may take')),
  },
  { additionalProperties: false, description: 'the model that reads what the agent did and writes better prompts' },
);

const promptKeys = {
  prompts: nullable(
    Type.String(),
    'file with a JSON object of the texts that may be changed, by name: each is replaced wherever the agent sends it in a system message, and `tool NAME` in the description of that tool; null: system messages and descriptions of tools that the agent sends in every one of its first rollouts',
  ),
  budget: count('rollouts of the agent after which no further iteration begins'),
  minibatch_size: count('rollouts that the reflector reads at once, and on which a change has to score better'),
  merges: count('most attempts to join the changes of two candidates', 0),
  perfect_score: nullable(
    Type.Number(),
    'reward that cannot be improved: such rollouts are not reflected on; null: none is known',
  ),
  test_samples: count('rollouts of each test task with the first prompts and with the best ones'),
  reflector: reflectorNode,
};

export type PromptKeys = OptionsOf<ReturnType<typeof promptSchema>>;
const promptSchema = () => Type.Object(promptKeys);

export const optimizePromptTask: TaskUnit = {
  name: 'optimize_prompt',
  description: 'evolve the prompts and tool descriptions of an agent of yours by reflection on its rollouts (GEPA)',
  keys: () => ({
    ...runKeys,
    ...titleKeys,
    ...deviceKeys,
    ...hubKeys,
    ...templateKeys,
    ...agentKeys,
    ...modelKey,
    ...promptKeys,
    max_failure_share: playKeys.max_failure_share,
    quantization: policyKeys.quantization,
  }),
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw &
      Parameters<typeof agentProblems>[0] &
      PromptKeys & { failedReward: number | null };
    const problems: ConfigProblem[] = agentProblems(config);
    const { model, reflector, failedReward } = config;
    const problem = model === null ? null : await modelProblem('model', model);
    if (problem !== null) problems.push(problem);
    if (reflector.baseUrl === null)
      problems.push({
        key: 'reflector.base_url',
        message: 'prompts are improved by a model that reads the rollouts: reflector.base_url is null',
        remedy: 'give its address and name: reflector.base_url=http://HOST:PORT/v1 reflector.model=NAME',
      });
    if (failedReward === null)
      problems.push({
        key: 'failed_reward',
        message:
          'failed_reward=null: prompts are compared on the same tasks, so a rollout that fails needs a reward too',
        remedy: 'write failed_reward=0',
      });
    return problems;
  },
  load: async () => (await import('./optimize-prompt.js')).optimizePrompt,
};
