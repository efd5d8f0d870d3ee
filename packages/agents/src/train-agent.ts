import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { Comparison, RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface TrainAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** The tasks of evaluations; default: a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** An algorithm of docs/agents/train.md, or options of 'grpo': `{ actor: { lr: 1e-4 } }`. Default: 'grpo'. */
  algorithm?: string | Readonly<Record<string, unknown>>;
  iterations?: number;
  /** The number of rollouts of an iteration. */
  rolloutSize?: number;
  /** The number of rollouts of the same task that are compared with each other. */
  groupSize?: number;
  /** The learning rate. */
  lmLr?: number;
  /** Whether LoRA adapters are trained and the model's weights stay frozen. */
  useLora?: boolean;
}

export interface TrainedAgent {
  /** The run's folder. */
  directory: string;
  /**
   * The folder of the resulting model, which `serve_model` and other programs can load. It is the best model if the test shows
   * that it is better than the start, else the start.
   */
  model: string;
  /** The result of comparing the best model with the start in the test. Unless it is `improved`, `model` is the start. */
  verdict: Comparison['verdict'];
  /** The gain of the best model over the start on the same rollouts; absent if no evaluation was better than the start's. */
  gain?: { mean: number; interval?: Comparison['interval'] };
  /** The reasons why `model` is the start; empty if it improved. */
  reasons: string[];
  /** The path of the page with curves and dialogues. */
  report: string;
  /** The results of the final test, before and after training. */
  results: RunResults;
}

/**
 * Trains the model of an agent on rollouts of the agent, like `npx bowyer --config-name train_agent`, with the same folder,
 * checkpoints and numbers.
 *
 * @throws for invalid settings; if too many rollouts fail, with the first reason; the signal's reason after it has stopped
 */
export async function trainAgent<Task extends AgentTask, Result>(
  options: TrainAgentOptions<Task, Result>,
): Promise<TrainedAgent> {
  const { directory } = await runAgentTask('train_agent', options);
  const results = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8')) as RunResults;
  const { verdict, reasons } = results.handedOut!;
  const tested = results.comparisons?.find(({ name }) => name.startsWith('best'));
  return {
    directory,
    model: join(directory, 'checkpoints', 'best'),
    verdict,
    ...(tested && { gain: { mean: tested.meanDifference, interval: tested.interval } }),
    reasons,
    report: join(directory, 'report.html'),
    results,
  };
}
