import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface TrainAgentOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** Tasks of evaluations; if not given, a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** 'grpo' if not given; see docs/agents/train.md for the others. */
  algorithm?: string;
  iterations?: number;
  /** Rollouts of an iteration. */
  rolloutSize?: number;
  /** Rollouts of the same task that are compared with each other. */
  groupSize?: number;
  /** Learning rate. */
  lmLr?: number;
  /** Train adapters beside the model, whose own weights stay unchanged. */
  useLora?: boolean;
}

export interface TrainedAgent {
  /** The run's folder. */
  directory: string;
  /** The folder of the best model, which `serve_model` serves and other programs load. */
  model: string;
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
  return { directory, model: join(directory, 'checkpoints', 'best'), report: join(directory, 'report.html'), results };
}
