// Config keys of task=optimize_prompt.
import { Type, type TObject } from '@sinclair/typebox';
import { changeableOnResume, count, nullable, type OptionsOf } from '@bowyer/core';
import type { AgentConfig, DeviceConfig } from '@bowyer/agent';
import type { AgentTaskConfig } from '../train-agent/agent-keys.js';

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
    timeout_ms: changeableOnResume(count('longest time for an answer, in milliseconds')),
  },
  { additionalProperties: false, description: 'the model that reads what the agent did and writes better prompts' },
);

export const promptKeys = {
  prompts: nullable(
    Type.String(),
    'file with a JSON object of the texts that may be changed, by name: each is replaced wherever the agent sends it in a system message, and `tool NAME` in the description of that tool; null: system messages and descriptions of tools that the agent sends in every one of its first rollouts',
  ),
  budget: count('rollouts of the agent after which no further iteration begins'),
  minibatch_size: count('rollouts that the reflector reads at once, and on which a change has to score better'),
  merges: count('largest number of attempts to join the changes of two candidates', 0),
  perfect_score: nullable(
    Type.Number(),
    'highest possible reward: rollouts that have it are not reflected on; null: it is not known',
  ),
  test_samples: count('rollouts of each test task with the first prompts and with the best ones'),
  reflector: reflectorNode,
};

/** In camelCase. */
export type PromptKeys = OptionsOf<TObject<typeof promptKeys>>;

export type OptimizeConfig = AgentTaskConfig &
  PromptKeys &
  DeviceConfig &
  Pick<AgentConfig, 'seed' | 'quantization' | 'chatTemplate' | 'chatTemplateKwargs' | 'maxFailureShare'>;
