import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { Comparison, RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface TrainAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** Tasks of evaluations; if not given, a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** Name of the algorithm ('grpo' if not given; docs/agents/train.md has the others), or options of 'grpo': `{ actor: { lr: 1e-4 } }`. */
  algorithm?: string | Readonly<Record<string, unknown>>;
  iterations?: number;
  /** Rollouts of an iteration. */
  rolloutSize?: number;
  /** Rollouts of the same task that are compared with each other. */
  groupSize?: number;
  /** Learning rate. */
  lmLr?: number;
  /** Whether adapters are trained beside the model, whose own weights stay unchanged. */
  useLora?: boolean;
}

export interface TrainedAgent {
  /** The run's folder. */
  directory: string;
  /**
   * The folder of the model that is handed out, which `serve_model` serves and other programs load: the best one where the test has shown
   * that it is better than the start, else the start.
   */
  model: string;
  /** The test's verdict on the best model beside the start: anything but `improved` means that `model` is the start. */
  verdict: Comparison['verdict'];
  /** Mean reward of the best model minus that of the start on the same rollouts; absent where no evaluation was better than the start's. */
  gain?: { mean: number; interval?: Comparison['interval'] };
  /** Why `model` is the start; empty where it has improved. */
  reasons: string[];
  /** The page with curves and dialogues. */
  report: string;
  /** Figures of the final test: the model before and after. */
  results: RunResults;
}

/**
 * Trains the model of an agent, from what the agent does with it: `npx bowyer --config-name train_agent` from within a program, with
 * the same folder, checkpoints and numbers.
 *
 * @throws for settings that are refused; where too many rollouts fail, with the first reason; the signal's reason once it has stopped
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
