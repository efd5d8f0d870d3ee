// task=compare: which of two runs, or of two folders of runs, is better.
import { Type } from '@sinclair/typebox';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

export const compareTask: TaskUnit = {
  name: 'compare',
  description:
    'report which of two runs is better, by how much and how certain that is, on the episodes that both played',
  keys: () => {
    const { seed: _, ...keys } = runKeys; // the resampling is the same every time
    return {
      ...keys,
      dirs: Type.Array(Type.String(), {
        description: 'two folders, each with one run or with several runs of different seeds',
      }),
    };
  },
  plays: false,
  problems: ({ dirs }) =>
    Array.isArray(dirs) && dirs.length === 2
      ? []
      : [
          {
            key: 'dirs',
            message: `task=compare needs two folders: dirs has ${Array.isArray(dirs) ? dirs.length : 'none'}`,
            remedy: 'give two: dirs=[outputs/a,outputs/b]; task=report shows more than two beside each other',
          },
        ],
  load: async () => (await import('./compare.js')).compare,
};
