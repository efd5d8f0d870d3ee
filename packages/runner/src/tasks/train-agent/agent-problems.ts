// Reports settings of an agent that are missing or contradict each other, before anything starts.
import { existsSync } from 'node:fs';
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import { isFunction } from '../../context/given-agent.js';
import type { AgentOptions } from './agent-keys.js';

type Checked = Pick<AgentOptions, 'model' | 'agent' | 'tasks' | 'evalTasks' | 'testTasks' | 'evalShare' | 'testShare'>;

export function agentProblems(config: Checked): ConfigProblem[] {
  const missing: Record<string, [value: string | null, remedy: string]> = {
    agent: [config.agent, "give the command that plays a task: agent='node my-agent.js'"],
    tasks: [config.tasks, 'give a file of JSON lines, each an object with an id: tasks=tasks.jsonl'],
    model: [config.model, 'give the model that the agent calls: model=FOLDER, or OWNER/NAME of the hub'],
  };
  return [
    ...Object.entries(missing).flatMap(([key, [value, remedy]]) =>
      value === null ? oneProblem(key, `an agent needs ${key}, which is null`, remedy) : [],
    ),
    ...fileProblems(config),
    ...shareProblems(config),
  ];
}

function fileProblems({ agent, tasks, evalTasks, testTasks }: Checked): ConfigProblem[] {
  if (isFunction(agent)) return [];
  return Object.entries({ tasks, eval_tasks: evalTasks, test_tasks: testTasks }).flatMap(([key, file]) =>
    file === null || existsSync(file)
      ? []
      : oneProblem(key, `${key}: there is no file '${file}'`, 'give a file of JSON lines, each an object with an id'),
  );
}

function shareProblems({ evalShare, testShare }: Checked): ConfigProblem[] {
  if (evalShare + testShare < 1) return [];
  return oneProblem(
    'eval_share',
    `eval_share=${evalShare} and test_share=${testShare} leave no task to train on`,
    'give shares that together are below 1',
  );
}
