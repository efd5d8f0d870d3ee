import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { Comparison, RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface TrainAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** The tasks of evaluations during training; default: a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** An algorithm of docs/agents/train.md, or options of 'grpo': `{ actor: { lr: 1e-4 } }`. Default: 'grpo'. */
  algorithm?: string | Readonly<Record<string, unknown>>;
  iterations?: number;
  /** The number of rollouts that are played in an iteration. */
  rolloutSize?: number;
  /** The number of rollouts of the same task whose rewards are compared with each other, as in GRPO. */
  groupSize?: number;
  lmLr?: number;
  /** Whether LoRA adapters are trained and the model's weights stay frozen. */
  useLora?: boolean;
}

export interface TrainedAgent {
  /** The folder of the run's files. */
  directory: string;
  /**
   * The folder of the resulting model, which `serve_model` and other programs can load. It is the best model of the training if
   * the final test shows that it is better than the initial model, otherwise the initial model.
   */
  model: string;
  /**
   * The result of comparing the best model with the initial model in the final test. Unless it is `improved`, `model` is the
   * initial model.
   */
  verdict: Comparison['verdict'];
  /**
   * The gain in reward of the best model over the initial model on the same rollouts; absent if no evaluation during training was
   * better than that of the initial model.
   */
  gain?: { mean: number; interval?: Comparison['interval'] };
  /** The reasons why `model` is the initial model; empty if the training improved it. */
  reasons: string[];
  /** The path of the run's HTML report, with training curves and dialogues. */
  report: string;
  /** The results of the final test, with the initial model and the trained ones. */
  results: RunResults;
}

/**
 * Trains the model of an agent by reinforcement learning on rollouts of the agent. The folder, the checkpoints and the results
 * are the same as those of `npx bowyer --config-name train_agent`.
 *
 * @throws for invalid settings; if too many rollouts fail, with the first reason; if the run was stopped by the signal, with the
 *   signal's reason
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
