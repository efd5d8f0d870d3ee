// Defines the options of task=figures, which draws learning curves, scores and tables of several methods with several seeds each,
// as a paper reports them.
import { choice, text, texts, unitOptions, oneProblem } from '@bowyer/core';
import { seedlessKeys } from '../../keys/run-keys.js';
import { X_AXES } from '../../report/figures/x-axes.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const figuresOptions = unitOptions({
  dirs: texts([], 'folders of runs or sweeps, one or several'),
  x: choice(
    X_AXES,
    'iterations',
    'x axis of the curves: iterations, steps of the environment, tokens that the policy wrote, or seconds of training; evaluations do not count',
  ),
  metric: text(
    'episodic_return',
    'y axis of the curves: a figure of evaluations (without any, of rollouts) whose score is that of the final test, such as episodic_return or win_rate; or a column of metrics.jsonl, such as losses/nll, whose score is its last value',
  ),
});

export const figuresTask: TaskUnit = {
  name: 'figures',
  description: 'write the curves, scores and tables of several methods and seeds for a paper: SVG, CSV and LaTeX',
  keys: () => ({ ...seedlessKeys, task: figuresOptions }),
  plays: false,
  problems: ({ task: { dirs } }: TaskConfig<typeof figuresOptions>) =>
    dirs.length > 0
      ? []
      : oneProblem(
          'task.dirs',
          'task=figures needs the folders of runs: dirs is empty',
          'give them: task.dirs=[multirun/methods]',
        ),
  load: async () => (await import('./figures.js')).figures,
};
