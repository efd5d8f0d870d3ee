// Computes the metrics of a test separately for each kind of task, such as those of ScienceWorld, or for each item if there are few
// items.
import { groupBy, episodicReturn, mean, type Trajectory } from '@bowyer/core';
import { environmentInfo } from '@bowyer/envs';

export interface TaskResult {
  /** The name of the kind of task, or of the item. */
  task: string;
  episodes: number;
  meanReturn: number;
  /** The share of episodes that were won; null where the environment does not report wins. */
  winRate: number | null;
}

export const taskRows = (tasks: readonly TaskResult[]): string[][] =>
  tasks.map(({ task, episodes, meanReturn, winRate }) => [
    task,
    String(episodes),
    meanReturn.toFixed(2),
    winRate === null ? '–' : winRate.toFixed(3),
  ]);

/** The largest number of items for which metrics are given item by item; a longer table would be hard to read. */
const MOST_ITEMS = 20;

export const breakdownOf = (environment: string, trajectories: readonly Trajectory[]): TaskResult[] =>
  breakdownBy(environmentInfo(environment).evaluation?.taskType, trajectories);

/**
 * Computes metrics by kind of task if there are several kinds; otherwise by item if there are at least two and at most
 * `MOST_ITEMS`; otherwise returns none. They are in alphabetical order.
 *
 * @param taskType returns the kind of task from the `info` of an episode's first turn
 */
export function breakdownBy(
  taskType: ((info: Record<string, unknown>) => string | null) | undefined,
  trajectories: readonly Trajectory[],
): TaskResult[] {
  const byType = grouped(trajectories, ({ infos }) => taskType?.(infos[0] ?? {}) ?? null);
  const byItem = grouped(trajectories, ({ item }) => item ?? null);
  const groups =
    byType.size > 1 ? byType : byItem.size > 1 && byItem.size <= MOST_ITEMS ? byItem : new Map<string, Trajectory[]>();
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([task, episodes]) => ({
      task,
      episodes: episodes.length,
      meanReturn: mean(episodes.map(episodicReturn)),
      winRate: episodes.some(({ infos }) => 'won' in (infos.at(-1) ?? {}))
        ? mean(episodes.map(({ infos }) => Number(infos.at(-1)?.won === true)))
        : null,
    }));
}

function grouped(
  trajectories: readonly Trajectory[],
  keyOf: (trajectory: Trajectory) => string | null,
): Map<string, Trajectory[]> {
  const groups = groupBy(trajectories, keyOf);
  groups.delete(null);
  return groups as Map<string, Trajectory[]>;
}
