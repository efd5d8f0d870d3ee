// Episodes of the experts that tasks bring: their calls, one after the other, and their answers.
import type { DemonstrationSet } from '@bowyer/core';
import { playDemonstrations, playedSet } from '../played-demonstrations.js';
import { expertItems, listedSplits, type SplitPlan } from '../splits.js';
import type { DemonstrationRequest } from '../unit.js';
import { McpEnv } from './mcp-env.js';
import type { McpOptions } from './options.js';
import { readTasks, type McpTask } from './task-file.js';

/** No tasks where no file is named. */
export const tasksOf = ({ tasks, checker }: Pick<McpOptions, 'tasks' | 'checker'>): readonly McpTask[] =>
  tasks === null ? [] : readTasks(tasks, checker !== null);

/** By the split that each task names; tasks without one are divided, where none names one, and to train on otherwise. */
export function mcpSplits(tasks: readonly McpTask[]): SplitPlan {
  const of = (split: McpTask['split']) => tasks.filter((task) => (task.split ?? 'train') === split);
  const namesOne = tasks.some(({ split }) => split !== null);
  return listedSplits({
    noun: 'tasks',
    items: namesOne ? { train: of('train'), eval: of('eval'), test: of('test') } : tasks,
    reset: ({ id }) => ({ task: id }),
    id: ({ id }) => id,
  });
}

/** Tasks that have an expert, in the splits that all tasks have. */
export async function mcpDemonstrations(
  options: McpOptions,
  { count, seed, split = 'train' }: DemonstrationRequest,
): Promise<DemonstrationSet> {
  const tasks = tasksOf(options);
  const { splitOf } = mcpSplits(tasks);
  const known = tasks
    .filter(({ expert }) => expert !== null)
    .map((task) => ({ ...task, split: splitOf?.(task.id) ?? split }));
  const env = new McpEnv(options);
  const player = {
    best: () => env.expertReply(),
    random: () => {
      throw new Error('mcp: an expert plays its own steps alone');
    },
  };
  const request = { episodes: count, seed, noise: 0 };
  return playedSet(await playDemonstrations(expertItems(env, mcpSplits(known), split), player, request));
}
