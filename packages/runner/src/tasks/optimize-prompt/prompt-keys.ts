// Defines the config keys of task=optimize_prompt, which improves the prompts of a user's agent.
import { Type } from '@sinclair/typebox';
import {
  defaulting,
  group,
  integer,
  nonNegative,
  optional,
  optionalText,
  text,
  unitOptions,
  type OptionsOf,
} from '@bowyer/core';
import { agentOptions, modelOption, type NodesOfAgents } from '../train-agent/agent-keys.js';

export const reflectorNode = group(
  {
    base_url: optionalText(
      'address of the endpoint up to the version, required, for instance http://127.0.0.1:8000/v1',
    ),
    model: text('default', 'name of the model at the endpoint'),
    api_key_env: optionalText('environment variable that contains the API key; null: no key is sent', {
      decides: false,
    }),
    temperature: nonNegative(1, 'sampling temperature, dimensionless'),
    max_tokens: integer(4096, 'longest answer in tokens'),
    retries: integer(2, 'further attempts after a failed request, or an answer without a text', {
      minimum: 0,
      decides: false,
    }),
    timeout_ms: integer(300_000, 'longest wait for an answer of the reflector, in milliseconds', { decides: false }),
  },
  'the model that reads what the agent did and writes better prompts',
);

const promptOptions = {
  prompts: optionalText(
    'file with a JSON object of the texts that may be changed, by name: each is replaced wherever the agent sends it in a system message, and `tool NAME` in the description of that tool; null: system messages and descriptions of tools that the agent sends in every one of its first rollouts',
  ),
  budget: integer(400, 'rollouts of the agent after which no further iteration begins'),
  minibatch_size: integer(4, 'rollouts that the reflector reads at once, and on which a change has to score better'),
  merges: integer(5, 'largest number of attempts to join the changes of two candidates', { minimum: 0 }),
  perfect_score: optional(
    () => Type.Number(),
    'highest possible reward: rollouts that have it are not reflected on; null: it is not known',
    { default: 1 },
  ),
  test_samples: integer(
    4,
    'rollouts of each test task with the prompts that the agent begins with, and as many with the best prompts found',
  ),
};

export const optimizePromptOptions = unitOptions({
  ...agentOptions,
  ...modelOption,
  ...promptOptions,
  eval_share: defaulting(agentOptions.eval_share, 0.3),
  // Prompts are compared on the same tasks, so that a failed rollout needs a reward too and may not be left out.
  failed_reward: defaulting(agentOptions.failed_reward, 0),
});

export interface ReflectorConfig {
  reflector: OptionsOf<typeof reflectorNode>;
}

export type OptimizeConfig = ReflectorConfig & { task: OptionsOf<typeof optimizePromptOptions> } & NodesOfAgents;
