// Defines the config keys of tasks in which a user's agent plays: the agent, its tasks, the judge of its rollouts, and the model
// server that it calls.
import { Type, type TObject } from '@sinclair/typebox';
import {
  choice,
  fraction,
  integer,
  LARGEST_REWARD,
  nonNegative,
  optional,
  optionalText,
  texts,
  type OptionsOf,
} from '@bowyer/core';
import {
  chatNode,
  deviceNode,
  deviceOptions,
  hubNode,
  samplingOptions,
  templateOptions,
} from '../../agent/keys/model-keys.js';
import { playNode, episodeOptions } from '../../agent/keys/play-keys.js';
import { quantizationNode } from '../../agent/keys/policy-keys.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';

/** The config nodes of all tasks in which a user's agent plays. */
export const nodesOfAgents = {
  device: deviceNode(deviceOptions),
  hub: hubNode,
  chat: chatNode(templateOptions),
  play: playNode({ max_failure_share: episodeOptions.max_failure_share }),
  policy: quantizationNode,
};

export type NodesOfAgents = Pick<AgentConfig, 'seed'> & OptionsOf<TObject<typeof nodesOfAgents>>;

export const modelText =
  'the model that the agent calls: a folder in Hugging Face layout, a GGUF file, a run, or a model of the hub (OWNER/NAME[@REVISION])';

/** The option that names the model that the task trains or tests. */
export const modelOption = { model: optionalText(`${modelText}; required`) };

export const agentOptions = {
  agent: optionalText(
    'shell command that plays one task, required; its environment has OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, BOWYER_TASK, BOWYER_TASK_FILE and BOWYER_ROLLOUT_URL',
  ),
  tasks: optionalText('file of tasks as JSON lines, each an object with an `id`; required where an agent is started'),
  eval_tasks: optionalText('file of the tasks of evaluations; null: task.eval_share of task.tasks is held out'),
  test_tasks: optionalText('file of the tasks of the final test; null: task.test_share of task.tasks is held out'),
  eval_share: fraction(
    0.1,
    'share of task.tasks that evaluations play and training does not; 0: evaluations play the tasks of training',
  ),
  test_share: fraction(
    0.2,
    'share of task.tasks that the final test plays and training does not; 0: the test plays the tasks of training',
  ),
  reward: optionalText(
    'command that judges a rollout: it reads {task, rollout} as JSON from standard input and prints a number, or {"reward": …, "components": {…}}, as its last line; null: the agent reports its own reward',
  ),
  concurrency: integer(8, 'agents that play at the same time', { decides: false }),
  start_ahead: integer(
    0,
    'programs of the next rollouts that are started while task.concurrency others play; their calls of the model wait for their turn',
    { minimum: 0, decides: false },
  ),
  timeout: nonNegative(
    600,
    'seconds after which an agent or a judge is ended with all processes that it has started; 0: no limit',
  ),
  attempts: integer(2, 'most attempts at a rollout whose agent fails, the first one included'),
  failed_reward: optional(
    () => Type.Number({ minimum: -LARGEST_REWARD, maximum: LARGEST_REWARD }),
    'reward of a rollout whose agent has failed in every attempt; null: the rollout is left out',
  ),
  pass_env: texts(
    [],
    'names of environment variables that agents get from this process, in addition to PATH, HOME and the like',
    { decides: false },
  ),
  slots: integer(8, 'answers that are generated at the same time; each has its share of the key-value cache', {
    decides: false,
  }),
  max_new_tokens: integer(256, 'longest answer in tokens to a request that names no limit'),
  temperature: optional(
    () => samplingOptions.temperature,
    'sampling temperature of every answer, dimensionless; null: as the agent’s requests say, and 1 where they do not',
  ),
  top_k: optional(
    () => samplingOptions.top_k,
    'answers are sampled from the k most likely tokens, 0: from all; null: as the agent’s requests say, and from all where they do not',
  ),
  top_p: optional(
    () => samplingOptions.top_p,
    'answers are sampled from the most likely tokens that together have this probability; null: as the agent’s requests say, and 1 where they do not',
  ),
  splice: choice(
    ['template', 'sampled'],
    'template',
    'what the tokens of earlier turns become when the user sends a new message. template: the chat template writes the dialogue again, which may leave earlier thoughts out; sampled: they stay as they were sampled',
  ),
  prefix_cache_mb: integer(
    256,
    'MiB for keys and values of prompts and answers that have ended, for later prompts with the same beginning; 0: only slots keep them',
    { minimum: 0, decides: false },
  ),
};

export type AgentOptions = OptionsOf<TObject<typeof agentOptions & typeof modelOption>>;

export type AgentTaskConfig = { task: AgentOptions };
