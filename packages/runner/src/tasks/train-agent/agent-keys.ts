// Config keys of tasks in which an agent of the user plays: who it is, its tasks, how it is judged, and the server that it calls.
import { Type, type TObject } from '@sinclair/typebox';
import { changeableOnResume, count, nullable, oneOf, share, type OptionsOf } from '@bowyer/core';
import { samplingKeys } from '@bowyer/agent';

/** The model that is trained or tested. */
export const modelKey = {
  model: nullable(
    Type.String(),
    'the model that the agent calls: a folder in Hugging Face layout, a run, or a model of the hub (OWNER/NAME[@REVISION])',
  ),
};

const tasksFile = (what: string) => nullable(Type.String(), what);

export const agentKeys = {
  agent: nullable(
    Type.String(),
    'command that plays one task, as a line for the shell: it gets OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, BOWYER_TASK and BOWYER_ROLLOUT_URL',
  ),
  tasks: tasksFile('file of tasks as JSON lines, each an object with an `id`'),
  eval_tasks: tasksFile('file of the tasks of evaluations; null: eval_share of `tasks` is held out'),
  test_tasks: tasksFile('file of the tasks of the final test; null: test_share of `tasks` is held out'),
  eval_share: share('share of `tasks` that evaluations play and training does not; 0: they play those of training'),
  test_share: share('share of `tasks` that the final test plays and training does not; 0: it plays those of training'),
  reward: nullable(
    Type.String(),
    'command that judges a rollout: it reads {task, rollout} as JSON from standard input and prints a number, or {"reward": …, "components": {…}}, as its last line; null: the agent says its reward itself',
  ),
  concurrency: changeableOnResume(count('agents at the same time')),
  timeout: Type.Number({
    minimum: 0,
    description: 'seconds after which an agent, or a judge, is ended with all that it has started; 0: none',
  }),
  attempts: count('how often a rollout is begun at most, where its agent fails'),
  failed_reward: nullable(
    Type.Number(),
    'reward of a rollout whose agent has failed in every attempt; null: it is left out',
  ),
  pass_env: changeableOnResume(
    Type.Array(Type.String(), {
      description: 'names of environment variables that agents get from this process beside PATH, HOME and the like',
    }),
  ),
  slots: changeableOnResume(count('answers at the same time; each has its share of the key-value cache')),
  max_new_tokens: count('longest answer in tokens to a request that names no limit'),
  temperature: nullable(
    samplingKeys.temperature,
    'sampling temperature of every answer, dimensionless; null: as the agent’s requests say, and 1 where they do not',
  ),
  top_k: nullable(
    samplingKeys.top_k,
    'answers are sampled among the k most likely tokens, 0: among all; null: as the agent’s requests say, and all where they do not',
  ),
  top_p: nullable(
    samplingKeys.top_p,
    'answers are sampled among the most likely tokens that together have this probability; null: as the agent’s requests say, and 1 where they do not',
  ),
  splice: oneOf(
    ['template', 'sampled'],
    'how a dialogue continues after a new message of the user. template: as the chat template now writes what was said, which may leave earlier thoughts out; sampled: with the tokens as they were sampled',
  ),
  prefix_cache_mb: changeableOnResume(
    count(
      'MiB for keys and values of what prompts and answers begin with, after they have ended; 0: only slots keep them',
      0,
    ),
  ),
};

/** In camelCase. */
export type AgentTaskConfig = OptionsOf<TObject<typeof agentKeys & typeof modelKey>>;
