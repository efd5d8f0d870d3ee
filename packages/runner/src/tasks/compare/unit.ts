// Defines the options of task=compare, which finds out which of two runs, or of two folders of runs, is better.
import { texts, unitOptions, oneProblem } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const compareOptions = unitOptions({
  dirs: texts([], 'two folders, each with one run or with several runs of different seeds'),
});

export const compareTask: TaskUnit = {
  name: 'compare',
  description:
    'report which of two runs is better, by how much and how certain that is, on the episodes that both played',
  keys: () => ({ ...seedlessKeys, task: compareOptions }),
  plays: false,
  problems: ({ task: { dirs } }: TaskConfig<typeof compareOptions>) =>
    dirs.length === 2
      ? []
      : oneProblem(
          'task.dirs',
          `task=compare needs two folders: task.dirs has ${dirs.length}`,
          'give two: task.dirs=[outputs/a,outputs/b]; task=report compares more than two',
        ),
  load: async () => (await import('./compare.js')).compare,
};
