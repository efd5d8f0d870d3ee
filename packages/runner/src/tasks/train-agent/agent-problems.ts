// Reports, before a task starts, settings of the user's agent that are missing or contradict each other.
import { existsSync } from 'node:fs';
import { oneProblem, type ConfigProblem } from '@bowyer/core';
import { isFunction } from '../../context/given-agent.js';
import type { AgentOptions } from './agent-keys.js';

type Checked = Pick<AgentOptions, 'model' | 'agent' | 'tasks' | 'evalTasks' | 'testTasks' | 'evalShare' | 'testShare'>;

export function agentProblems(config: Checked): ConfigProblem[] {
  const missing: Record<string, [value: string | null, remedy: string]> = {
    'task.agent': [config.agent, "give the command that plays a task: task.agent='node my-agent.js'"],
    'task.tasks': [config.tasks, 'give a file of JSON lines, each an object with an id: task.tasks=tasks.jsonl'],
    'task.model': [config.model, 'give the model that the agent calls: task.model=FOLDER, or OWNER/NAME of the hub'],
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
  return Object.entries({
    'task.tasks': tasks,
    'task.eval_tasks': evalTasks,
    'task.test_tasks': testTasks,
  }).flatMap(([key, file]) =>
    file === null || existsSync(file)
      ? []
      : oneProblem(key, `${key}: there is no file '${file}'`, 'give a file of JSON lines, each an object with an id'),
  );
}

function shareProblems({ evalShare, testShare }: Checked): ConfigProblem[] {
  if (evalShare + testShare < 1) return [];
  return oneProblem(
    'task.eval_share',
    `task.eval_share=${evalShare} and task.test_share=${testShare} leave no task to train on`,
    'give shares that together are below 1',
  );
}
