// Runs a task of @bowyer/runner, such as `train_agent`, with the agent function and the tasks of the calling program.
import { checkTasks, type AgentTask } from '@bowyer/rollouts';
import { runAsLibrary, type GivenAgent, type RunProgress } from '@bowyer/runner';
import { agentFunctions, type AgentFunctions } from './agent-functions.js';

/** The progress of a run, and the path of the HTML page that shows the progress. */
export type AgentProgress = RunProgress & { /** The path of the run's HTML report. */ report: string };

export interface AgentRunOptions<Task extends AgentTask, Result> extends AgentFunctions<Task, Result> {
  /**
   * The model that the agent calls: a folder in Hugging Face's format, the folder of a run, or a model of the Hugging Face hub
   * (OWNER/NAME).
   */
  model: string;
  /** The tasks that the agent plays. Each is an object with an `id`. */
  tasks: readonly Task[];
  /** The tasks of the final test; default: a share of `tasks` (`testShare`) is held out. */
  testTasks?: readonly Task[];
  /**
   * The folder of the run's files. If it contains an unfinished run, that run is resumed. Default: a new folder under outputs/.
   */
  savePath?: string;
  /**
   * Stops the run when it is aborted, so that the same call resumes the run: a training stops at its next checkpoint, an
   * evaluation or a final test at once. The promise is then rejected with the signal's reason.
   */
  signal?: AbortSignal;
  /** Called with every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  /** Called with the progress after each iteration of training, and after each rollout of an evaluation or a test. */
  onProgress?: (progress: AgentProgress) => void;
  seed?: number;
  /** The number of simultaneous rollouts. */
  concurrency?: number;
  /** The timeout of a rollout in seconds; 0: none. */
  timeout?: number;
  /** The largest number of attempts at a rollout whose agent fails. */
  attempts?: number;
  /** The reward of a rollout that failed in all attempts; null: it is left out. */
  failedReward?: number | null;
  /** Any other key of the runner's config of the task, in camelCase; see docs/configs.md. Unknown keys are refused. */
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
