import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { AgentEvaluation, FailedRollouts } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface EvaluateAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** Other models to compare with `model`; the agent plays the same tasks with each of them. */
  compareWith?: readonly string[];
  /** The number of times that each task is played. */
  samples?: number;
  /** The smallest reward that counts as a success. */
  successReward?: number;
  /** If the mean reward with `model` is below this number, the promise is rejected. */
  failBelow?: number;
  /** If the mean reward with `model` is more than this number below that of a model of `compareWith`, the promise is rejected. */
  failDrop?: number;
  /**
   * Is called after every `concurrency` rollouts with the returns so far, in the order of the tasks. If it returns true, the
   * evaluation ends.
   */
  isEnough?: (returns: readonly number[]) => boolean;
}

export interface EvaluatedAgent {
  /** The folder of the evaluation's files. */
  directory: string;
  /** The metrics of each model (`model` first), the differences between models on the same rollouts, pass@k and pass^k. */
  results: AgentEvaluation;
  /**
   * The failed rollouts with `model`: their number, the number of all rollouts, and the first three reasons. `results.failed` has
   * those of all models.
   */
  failed: FailedRollouts;
}

/**
 * Plays the test tasks of an agent with one model or several, like `npx bowyer --config-name evaluate_agent`. Without `testTasks`
 * it plays the tasks that `trainAgent` holds out of the same `tasks`; `evalShare: 0, testShare: 0` plays all.
 *
 * @throws if more than `maxFailureShare` of the rollouts failed, with the reasons; then there are no results
 * @throws if the model does not meet `failBelow` or `failDrop`, after the results were written
 */
export async function evaluateAgent<Task extends AgentTask, Result>(
  options: EvaluateAgentOptions<Task, Result>,
): Promise<EvaluatedAgent> {
  const { directory } = await runAgentTask('evaluate_agent', options);
  const results = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8')) as AgentEvaluation;
  return { directory, results, failed: results.failed[0] };
}
