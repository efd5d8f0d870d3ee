import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface OptimizePromptOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** The endpoint, in OpenAI's form, of the model that reads rollouts and writes better prompts. */
  reflector: { baseUrl: string; model: string; [key: string]: unknown };
  /** Tasks on which candidates are chosen; if not given, a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** A file with the texts that may be changed; those that the agent sends in every rollout if not given. */
  prompts?: string;
  /** Rollouts after which no further iteration begins. */
  budget?: number;
}

export interface OptimizedPrompts {
  /** The run's folder. */
  directory: string;
  /** The best prompts by name: `system`, `tool NAME`. */
  prompts: Record<string, string>;
  /** Figures of the final test: the first prompts and the best ones. */
  results: RunResults;
}

/**
 * Evolves the prompts and tool descriptions of an agent by reflection on its rollouts: `npx bowyer --config-name optimize_prompt` from
 * within a program. The agent is not changed: its requests get other prompts on their way to the model.
 *
 * @throws for settings that are refused; where too many rollouts fail; where the reflector cannot be reached
 */
export async function optimizePrompt<Task extends AgentTask, Result>(
  options: OptimizePromptOptions<Task, Result>,
): Promise<OptimizedPrompts> {
  const { directory } = await runAgentTask('optimize_prompt', options);
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(directory, name), 'utf8'));
  const prompts = (await read('best-prompts.json')) as OptimizedPrompts['prompts'];
  return { directory, prompts, results: (await read('results.json')) as RunResults };
}
