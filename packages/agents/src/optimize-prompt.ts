import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentTask } from '@bowyer/rollouts';
import type { RunResults } from '@bowyer/runner';
import { runAgentTask, type AgentRunOptions } from './run-agent-task.js';

export interface OptimizePromptOptions<Task extends AgentTask, Result> extends AgentRunOptions<Task, Result> {
  /** The OpenAI-compatible endpoint of the model that reads rollouts and writes new prompts. */
  reflector: { baseUrl: string; model: string; [key: string]: unknown };
  /** The tasks on which new prompts are compared with earlier ones; default: a share of `tasks` (`evalShare`) is held out. */
  evalTasks?: readonly Task[];
  /** A file with the prompts and tool descriptions that may be changed; default: those that the agent sends in every rollout. */
  prompts?: string;
  /** The number of rollouts after which no further iteration begins. */
  budget?: number;
}

export interface OptimizedPrompts {
  /** The folder of the run's files. */
  directory: string;
  /** The best prompts by name: `system` for the system prompt, `tool NAME` for the description of a tool. */
  prompts: Record<string, string>;
  /** The results of the final test, played with the initial and with the best prompts. */
  results: RunResults;
}

/**
 * Evolves the prompts and tool descriptions of an agent by reflection on its rollouts, like `npx bowyer --config-name
 * optimize_prompt`. The agent itself is unchanged: the prompts are replaced in its requests to the model.
 *
 * @throws for invalid settings; if too many rollouts fail; if the reflector cannot be reached
 */
export async function optimizePrompt<Task extends AgentTask, Result>(
  options: OptimizePromptOptions<Task, Result>,
): Promise<OptimizedPrompts> {
  const { directory } = await runAgentTask('optimize_prompt', options);
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(directory, name), 'utf8'));
  const prompts = (await read('best-prompts.json')) as OptimizedPrompts['prompts'];
  return { directory, prompts, results: (await read('results.json')) as RunResults };
}
