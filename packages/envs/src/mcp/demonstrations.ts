// Plays the expert steps that tasks contain: tool calls and answers.
import type { DemonstrationSet } from '@bowyer/core';
import { taskDemonstrations } from '../played-demonstrations.js';
import { listedSplits, type SplitPlan } from '../splits.js';
import { tasksBySplit } from '../task-lines.js';
import type { DemonstrationRequest } from '../unit.js';
import { McpEnv } from './mcp-env.js';
import type { McpOptions } from './options.js';
import { mcpTasks, type McpTask } from './task-file.js';

/** Returns the tasks of the file; empty without a file. */
export const tasksOf = ({ tasks, checker }: Pick<McpOptions, 'tasks' | 'checker'>): readonly McpTask[] =>
  tasks === null ? [] : mcpTasks(tasks, checker !== null);

/** Returns the plan of splits. @param where selects the listed tasks; all tasks keep their splits */
export const mcpSplits = (tasks: readonly McpTask[], where?: (task: McpTask) => boolean): SplitPlan =>
  listedSplits({
    noun: 'tasks',
    items: tasksBySplit(tasks),
    reset: ({ id }) => ({ task: id }),
    id: ({ id }) => id,
    ...(where && { where }),
  });

/** Plays the tasks that have an expert. */
export const mcpDemonstrations = (options: McpOptions, request: DemonstrationRequest): Promise<DemonstrationSet> =>
  taskDemonstrations(
    new McpEnv(options),
    mcpSplits(tasksOf(options), ({ expert }) => expert !== null),
    request,
  );
