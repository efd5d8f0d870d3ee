// Makes the unit members that environments with tasks of a file share: the choice of a task, the plan of splits, and an expert
// whose steps the tasks contain.
import type { Rng } from '@bowyer/core';
import type { Env, Split } from './contract/env.js';
import { taskDemonstrations } from './played-demonstrations.js';
import { listedSplits, type SplitPlan } from './splits.js';
import type { LineTask } from './task-lines.js';
import { noOptions, type DemonstrationSource, type EnvironmentUnit } from './unit.js';

/** Returns the tasks of each split, by the lines' splits; default: training. */
export function bySplit<Task extends Pick<LineTask, 'split'>>(tasks: readonly Task[]): Record<Split, readonly Task[]> {
  const of = (split: Split) => tasks.filter((task) => (task.split ?? 'train') === split);
  return { train: of('train'), eval: of('eval'), test: of('test') };
}

/** Returns the plan of splits for items that `reset` selects by their split and their number in it. @param key of the number */
export const numberedItems = (
  noun: string,
  items: Readonly<Record<Split, readonly { id: string }[]>>,
  key: string,
): SplitPlan => {
  const numbered = (split: Split) => items[split].map(({ id }, number) => ({ number, id }));
  return listedSplits({
    noun,
    items: { train: numbered('train'), eval: numbered('eval'), test: numbered('test') },
    reset: ({ number }, split) => ({ split, [key]: number }),
    id: ({ id }) => id,
  });
};

/** Returns the item of a number, or without one an item that the generator draws. @param missing begins the error */
export function takenItem<T>(items: readonly T[], number: number | undefined, rng: Rng, missing: string): T {
  if (number === undefined) return rng.choice(items);
  if (number < items.length) return items[number];
  throw new RangeError(`${missing} ${number}: there are ${items.length}`);
}

/** Returns the task of an id, or without one a task that the generator draws. @param place of the tasks, for the error */
export function namedTask<Task extends { id: string }>(
  tasks: readonly Task[],
  id: string | undefined,
  rng: Rng,
  place: string,
): Task {
  const task = id === undefined ? rng.choice(tasks) : tasks.find((known) => known.id === id);
  if (task !== undefined) return task;
  throw new RangeError(`${place} has no task '${id}'; its tasks are ${tasks.map((known) => known.id).join(', ')}`);
}

interface TasksOfUnit<Options, Task extends LineTask> {
  tasks: (options: Options) => readonly Task[];
  /** Returns the options of `reset` that play a task. */
  reset: (task: Task, tasks: readonly Task[]) => { task: number | string };
  /** Returns whether a task contains the steps of an expert. */
  isShown: (task: Task) => boolean;
  make: (options: Options) => Env & { expertReply(): string | null };
  /** Returns the problem of a file without a training task that has an expert's steps. */
  unshown: (options: Options) => string;
  /** Further members of the source of demonstrations. */
  source?: Partial<DemonstrationSource<Options>>;
}

/** Returns the members of a unit whose tasks may contain the steps of an expert. */
export function taskMembers<Options extends object, Task extends LineTask>({
  tasks: tasksOf,
  reset,
  isShown,
  make,
  unshown,
  source,
}: TasksOfUnit<Options, Task>): Pick<EnvironmentUnit<Options>, 'hasExpert' | 'demonstrations'> & {
  splits: (options: Options) => SplitPlan;
} {
  const plan = (options: Options, where?: (task: Task) => boolean) => {
    const tasks = tasksOf(options);
    return listedSplits<Task>({
      noun: 'tasks',
      items: tasks.every(({ split }) => split === null) ? tasks : bySplit(tasks),
      reset: (task) => reset(task, tasks),
      id: ({ id }) => id,
      ...(where && { where }),
    });
  };
  return {
    splits: (options) => plan(options),
    hasExpert: (options) => tasksOf(options).some(isShown),
    demonstrations: {
      schema: noOptions,
      make: (options: Options, request) => taskDemonstrations(make(options), plan(options, isShown), request),
      problem: (options) => (plan(options, isShown).count('train') === 0 ? unshown(options) : null),
      ...source,
    },
  };
}
