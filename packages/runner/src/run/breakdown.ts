// Computes the metrics of a test by kind of task, or by item where there are few items.
import { groupBy, episodicReturn, mean, type Trajectory } from '@bowyer/core';
import { environmentInfo } from '@bowyer/envs';

export interface TaskResult {
  /** A kind of task, or an item. */
  task: string;
  episodes: number;
  meanReturn: number;
  /** Share of won episodes; null where the environment does not report wins. */
  winRate: number | null;
}

export const taskRows = (tasks: readonly TaskResult[]): string[][] =>
  tasks.map(({ task, episodes, meanReturn, winRate }) => [
    task,
    String(episodes),
    meanReturn.toFixed(2),
    winRate === null ? '–' : winRate.toFixed(3),
  ]);

/** A table of more items than this would be too long to read. */
const MOST_ITEMS = 20;

export const breakdownOf = (environment: string, trajectories: readonly Trajectory[]): TaskResult[] =>
  breakdownBy(environmentInfo(environment).evaluation?.taskType, trajectories);

/**
 * Computes metrics by kind of task if there are several kinds, else by item if there are several items but not very many, in
 * alphabetical order; else returns none.
 *
 * @param taskType returns the kind from the `info` of an episode's first turn
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
