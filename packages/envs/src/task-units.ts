// Makes the unit members that are common to environments whose tasks are in a file: the choice of a task, the plan of splits, and
// demonstrations by expert steps which the tasks contain.
import type { Rng } from '@bowyer/core';
import type { Env, Split } from './contract/env.js';
import { taskDemonstrations } from './played-demonstrations.js';
import { listedSplits, type SplitPlan } from './splits.js';
import type { LineTask } from './task-lines.js';
import { noOptions, type DemonstrationSource, type EnvironmentUnit } from './unit.js';

/** Returns the tasks of each split that the lines of the file name; a line without a split belongs to training. */
export function bySplit<Task extends Pick<LineTask, 'split'>>(tasks: readonly Task[]): Record<Split, readonly Task[]> {
  const of = (split: Split) => tasks.filter((task) => (task.split ?? 'train') === split);
  return { train: of('train'), eval: of('eval'), test: of('test') };
}

/** Returns the plan for items that `reset` selects by split and number. @param key name of the option with the number */
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

/** Returns a random item if no number is given. @param missing beginning of the error message for a wrong number */
export function takenItem<T>(items: readonly T[], number: number | undefined, rng: Rng, missing: string): T {
  if (number === undefined) return rng.choice(items);
  if (number < items.length) return items[number];
  throw new RangeError(`${missing} ${number}: there are ${items.length}`);
}

/** Returns the task with an id; without an id, a random task. @param place of the tasks, for the error message */
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
  /** Returns the options of `reset` with which a task is played. */
  reset: (task: Task, tasks: readonly Task[]) => { task: number | string };
  /** Returns whether a task contains the steps of an expert, which can be demonstrated. */
  isShown: (task: Task) => boolean;
  make: (options: Options) => Env & { expertReply(): string | null };
  /** Returns the error message for a file without any training task that contains expert steps. */
  unshown: (options: Options) => string;
  /** Further members of the unit's source of demonstrations. */
  source?: Partial<DemonstrationSource<Options>>;
}

/** Returns the members of a unit whose tasks may contain the steps of an expert, such as the splits and the demonstrations. */
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
