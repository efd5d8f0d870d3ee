// A task of the runner with the agent and the tasks of a program.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTasks, type AgentTask } from '@bowyer/rollouts';
import { runAsLibrary } from '@bowyer/runner';
import { agentFunctions, type AgentFunctions } from './agent-functions.js';

export interface AgentRunOptions<Task extends AgentTask, Result> extends AgentFunctions<Task, Result> {
  /** The model that the agent calls: a folder in Hugging Face layout, a run, or a model of the hub (OWNER/NAME). */
  model: string;
  /** Objects with an `id` each. */
  tasks: readonly Task[];
  /** Tasks of the test; if not given, a share of `tasks` (`testShare`) is held out. */
  testTasks?: readonly Task[];
  /** The run's folder; a run found there is resumed. A new folder under outputs/ if not given. */
  savePath?: string;
  /** Stops the run at its next checkpoint; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Gets every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  seed?: number;
  /** Agents at the same time. */
  concurrency?: number;
  /** Seconds for a rollout; 0: no bound. */
  timeout?: number;
  /** How often a rollout is begun at most, where its agent fails. */
  attempts?: number;
  /** The reward of a rollout that fails in every attempt; null: it is left out. */
  failedReward?: number | null;
  /** Any other key of the task's config, in camelCase: docs/configs.md. An unknown one is refused. */
  [setting: string]: unknown;
}

/** Options that are no keys of the config. */
type Own = 'run' | 'reward' | 'tasks' | 'evalTasks' | 'testTasks' | 'signal' | 'log';

export async function runAgentTask<Task extends AgentTask, Result>(
  configName: string,
  options: AgentRunOptions<Task, Result> & { evalTasks?: readonly Task[] },
): Promise<{ directory: string }> {
  const { run, reward, tasks, evalTasks, testTasks, signal, log, ...settings } = options satisfies Record<Own, unknown>;
  const folder = options.savePath === undefined ? await mkdtemp(join(tmpdir(), 'bowyer-tasks-')) : join(options.savePath, 'tasks');
  await mkdir(folder, { recursive: true });
  const file = async (name: string, given: readonly Task[] | undefined) => {
    if (given === undefined) return undefined;
    checkTasks(given, name);
    const path = join(folder, `${name}.jsonl`);
    await writeFile(path, given.map((task) => `${JSON.stringify(task)}\n`).join(''));
    return path;
  };
  return runAsLibrary({
    configName,
    settings: {
      ...settings,
      agent: `function ${run.name || 'run'}`,
      tasks: await file('tasks', tasks),
      evalTasks: await file('evalTasks', evalTasks),
      testTasks: await file('testTasks', testTasks),
    },
    signal,
    log,
    agent: agentFunctions({ run, reward }),
  });
}
