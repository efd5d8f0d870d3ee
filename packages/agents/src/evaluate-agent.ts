import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { AgentEvaluation, FailedRollouts } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface EvaluateAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** Further models with which the agent plays the same tasks. */
  compareWith?: readonly string[];
  /** Rollouts of each task. */
  samples?: number;
  /** Smallest reward of a success. */
  successReward?: number;
  /** The promise is rejected where the mean reward with `model` is below this number. */
  failBelow?: number;
  /** The promise is rejected where the mean reward is lower by more than this number than with a model of `compareWith`. */
  failDrop?: number;
  /** Asked after each round of `concurrency` rollouts, with the returns so far in the order of the tasks; true ends the evaluation. */
  isEnough?: (returns: readonly number[]) => boolean;
}

export interface EvaluatedAgent {
  /** The run's folder. */
  directory: string;
  /** Figures of each model, `model` first; differences on the same rollouts; pass@k and pass^k. */
  results: AgentEvaluation;
  /** The rollouts that failed with `model`, of all that were played, and the first three reasons: `results.failed` has all models. */
  failed: FailedRollouts;
}

/**
 * Plays the test tasks of an agent with one model or several: `npx bowyer --config-name evaluate_agent` from within a program. Without
 * `testTasks` these are the tasks that `trainAgent` holds out of the same `tasks`; `evalShare: 0, testShare: 0` plays all.
 *
 * @throws where more than `maxFailureShare` of the rollouts failed, with the reasons: nothing is scored then
 * @throws where the model is not as good as `failBelow` and `failDrop` ask for, after the results were written
 */
export async function evaluateAgent<Task extends AgentTask, Result>(
  options: EvaluateAgentOptions<Task, Result>,
): Promise<EvaluatedAgent> {
  const { directory } = await runAgentTask('evaluate_agent', options);
  const results = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8')) as AgentEvaluation;
  return { directory, results, failed: results.failed[0] };
}
