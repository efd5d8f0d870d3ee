// Episodes of the experts that tasks bring: their calls, one after the other, and their answers.
import type { DemonstrationSet } from '@bowyer/core';
import { playDemonstrations, playedSet } from '../played-demonstrations.js';
import { expertItems, listedSplits, type SplitPlan } from '../splits.js';
import { tasksBySplit } from '../task-lines.js';
import type { DemonstrationRequest } from '../unit.js';
import { McpEnv } from './mcp-env.js';
import type { McpOptions } from './options.js';
import { mcpTasks, type McpTask } from './task-file.js';

/** No tasks where no file is named. */
export const tasksOf = ({ tasks, checker }: Pick<McpOptions, 'tasks' | 'checker'>): readonly McpTask[] =>
  tasks === null ? [] : mcpTasks(tasks, checker !== null);

/** @param where the tasks that are listed, in the splits that all have; absent: all */
export const mcpSplits = (tasks: readonly McpTask[], where?: (task: McpTask) => boolean): SplitPlan =>
  listedSplits({
    noun: 'tasks',
    items: tasksBySplit(tasks),
    reset: ({ id }) => ({ task: id }),
    id: ({ id }) => id,
    ...(where && { where }),
  });

/** Plays the tasks that have an expert. */
export async function mcpDemonstrations(
  options: McpOptions,
  { count, seed, split }: DemonstrationRequest,
): Promise<DemonstrationSet> {
  const plan = mcpSplits(tasksOf(options), ({ expert }) => expert !== null);
  const env = new McpEnv(options);
  const player = {
    best: () => env.expertReply(),
    random: () => {
      throw new Error('mcp: an expert plays its own steps alone');
    },
  };
  const request = { episodes: count, seed, noise: 0 };
  return playedSet(await playDemonstrations(expertItems(env, plan, split), player, request));
}
