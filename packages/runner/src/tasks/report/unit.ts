// Defines the options of task=report, which writes the HTML report of a run, or a comparison of several runs, from their files.
import { texts, unitOptions, oneProblem } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const reportOptions = unitOptions({ dirs: texts([], 'folders of runs or sweeps, one or several') });

export const reportTask: TaskUnit = {
  name: 'report',
  description: 'write the page of a run, a sweep or several runs from their files',
  keys: () => ({ ...seedlessKeys, task: reportOptions }),
  plays: false,
  problems: ({ task: { dirs } }: TaskConfig<typeof reportOptions>) =>
    dirs.length > 0
      ? []
      : oneProblem(
          'task.dirs',
          'task=report needs the folders of runs: dirs is empty',
          'give them: task.dirs=[outputs/a,outputs/b]',
        ),
  load: async () => (await import('./report.js')).report,
};
