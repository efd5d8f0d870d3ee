// Defines the options of task=record_agent, which serves a model, or passes requests on to another endpoint, and records the
// rollouts of agents that call it.
import { existsSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { optional, optionalText, unitOptions, oneProblem } from '@bowyer/core';
import { writerOptions } from '../../agent/keys/model-keys.js';
import { runKeys } from '../../keys/run-keys.js';
import { listenProblems } from '../listen-keys.js';
import { languageModelText } from '../model-line-keys.js';
import { modelServerKeys, modelServerOptions } from '../serve-model/unit.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { agentOptions } from '../train-agent/agent-keys.js';

const model = optionalText(`${languageModelText}; null: task.upstream or task.replay answers`);

/** The options if a local model answers the agents' requests. */
const optionsOfModel = { ...modelServerOptions, model, ...writerOptions, splice: agentOptions.splice };

/** The options if another endpoint answers the agents' requests, so that decoding options have no effect. */
const { host, port, allow_anonymous, server_key_env } = modelServerOptions;
const optionsOfProxy = { model, host, port, allow_anonymous, server_key_env };

const { tasks, reward, concurrency, start_ahead, timeout, pass_env } = agentOptions;
/** The options of starting an agent for each task, which are not read if the agents are started by the user. */
const startOptions = { concurrency, start_ahead, timeout, pass_env };

const ownOptions = {
  upstream: optionalText(
    'base URL of an endpoint that answers in place of a model, such as https://HOST/v1; its answers have no tokens, so they are for supervised learning alone. null: the model answers',
  ),
  replay: optionalText(
    'folder of a recording (save_path of a run with task.upstream), whose answers are given again to the same requests, without a model; another request is refused with what differs. null: the model or the endpoint answers',
  ),
  upstream_key_env: optionalText(
    'environment variable with the key that the endpoint is sent; null: the key that the agent sends is passed on',
  ),
  agent: optionalText(
    'shell command that plays a task, as train_agent starts it: each task of task.tasks is played once, and the recording ends; null: agents that others start are recorded until the user stops it',
  ),
  tasks,
  reward,
  min_reward: optional(
    () => Type.Number(),
    'rollouts with a smaller reward, or without one, are left out of conversations.jsonl, which is written at the end; null: they are kept',
  ),
};

export const recordAgentOptions = unitOptions({ ...optionsOfModel, ...ownOptions, ...startOptions });

export const recordAgentTask: TaskUnit = {
  name: 'record_agent',
  description: 'serve a model, or pass requests on to another endpoint, and record the rollouts of agents',
  keys({ setting }) {
    const own = { ...ownOptions, ...((setting('task.agent') ?? null) !== null && startOptions) };
    return (setting('task.upstream') ?? setting('task.replay') ?? null) === null
      ? { ...modelServerKeys, task: unitOptions({ ...optionsOfModel, ...own }) }
      : { ...runKeys, task: unitOptions({ ...optionsOfProxy, ...own }) };
  },
  plays: false,
  problems({ task }: TaskConfig<typeof recordAgentOptions>) {
    const { model, upstream, replay, upstreamKeyEnv, agent, tasks: file, reward: judge } = task;
    const given = Object.entries({ model, upstream, replay }).filter(([, value]) => value !== null);
    if (given.length !== 1)
      return oneProblem(
        'task.model',
        `task=record_agent needs a model, an endpoint or a recording: ${given.length === 0 ? 'task.model, task.upstream and task.replay are null' : `${given.map(([key]) => `task.${key}`).join(' and ')} are given`}`,
        'give one of task.model=FOLDER, task.upstream=URL and task.replay=FOLDER',
      );
    if (upstream === null && upstreamKeyEnv !== null)
      return oneProblem(
        'task.upstream_key_env',
        'task.upstream_key_env is given without task.upstream',
        'give task.upstream=URL, or leave it out',
      );
    if (agent === null && (file !== null || judge !== null))
      return oneProblem(
        'task.agent',
        `task.${file === null ? 'reward' : 'tasks'} is given without an agent that this command starts`,
        "give the command that plays a task, task.agent='node my-agent.js', or leave it out",
      );
    if (agent !== null && (file === null || !existsSync(file)))
      return oneProblem(
        'task.tasks',
        file === null ? 'an agent needs task.tasks, which is null' : `task.tasks: there is no file '${file}'`,
        'give a file of JSON lines, each an object with an id: task.tasks=tasks.jsonl',
      );
    return listenProblems(task, 'task.server_key_env');
  },
  load: async () => (await import('./record-agent.js')).recordAgent,
};
