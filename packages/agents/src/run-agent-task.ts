// A task of the runner with the agent and the tasks of a program.
import { checkTasks, type AgentTask } from '@bowyer/rollouts';
import { runAsLibrary, type GivenAgent, type RunProgress } from '@bowyer/runner';
import { agentFunctions, type AgentFunctions } from './agent-functions.js';

/** How far a run has come, and the page on which that is drawn. */
export type AgentProgress = RunProgress & { /** The path of the run's page. */ report: string };

export interface AgentRunOptions<Task extends AgentTask, Result> extends AgentFunctions<Task, Result> {
  /** The model that the agent calls: a folder in Hugging Face layout, a run, or a model of the hub (OWNER/NAME). */
  model: string;
  /** Objects with an `id` each. */
  tasks: readonly Task[];
  /** Tasks of the test; if not given, a share of `tasks` (`testShare`) is held out. */
  testTasks?: readonly Task[];
  /** The run's folder; a run found there is resumed. A new folder under outputs/ if not given. */
  savePath?: string;
  /**
   * Stops the run where the same call resumes it: a training at its next checkpoint, an evaluation and a final test at once. The promise
   * is then rejected with the signal's reason.
   */
  signal?: AbortSignal;
  /** Gets every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  /** Gets how far the run has come: after each iteration of a training, and after each rollout of an evaluation or a test. */
  onProgress?: (progress: AgentProgress) => void;
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

export async function runAgentTask<Task extends AgentTask, Result>(
  configName: string,
  options: AgentRunOptions<Task, Result> & { evalTasks?: readonly Task[]; isEnough?: GivenAgent['isEnough'] },
): Promise<{ directory: string }> {
  const { run, reward, tasks, evalTasks, testTasks, signal, log, onProgress, isEnough, ...settings } = options;
  for (const [name, given] of Object.entries({ tasks, evalTasks, testTasks })) if (given) checkTasks(given, name);
  const agent = { ...agentFunctions({ run, reward }), tasks, evalTasks, testTasks, isEnough };
  return runAsLibrary({ configName, settings, signal, log, onProgress, agent });
}
