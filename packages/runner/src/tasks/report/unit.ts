// task=report: the page of a run, or of several, from their files.
import { Type } from '@sinclair/typebox';
import { runKeys } from '../../keys/run-keys.js';
import type { TaskUnit } from '../task.js';

export const reportTask: TaskUnit = {
  name: 'report',
  description: 'write the page of a run, a sweep or several runs from their files',
  keys: () => {
    const { seed: _, ...keys } = runKeys; // nothing is drawn
    return { ...keys, dirs: dirsKey };
  },
  plays: false,
  problems: ({ dirs }) => (Array.isArray(dirs) && dirs.length > 0 ? [] : [noDirs('report')]),
  load: async () => (await import('./report.js')).report,
};

const dirsKey = Type.Array(Type.String(), {
  description: 'folders of runs or sweeps, one or several',
});

const noDirs = (task: string) => ({
  key: 'dirs',
  message: `task=${task} needs the folders of runs: dirs is empty`,
  remedy: 'give them: dirs=[outputs/a,outputs/b]',
});
