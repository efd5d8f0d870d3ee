// Implements the logger `tensorboard`: event files with scalars, episodes as text, histograms of returns, and hyperparameters.
import { episodicReturn, type Trajectory } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import { resolve } from 'node:path';
import type { LoggedEnd, LoggedStep, LoggerUnit, RunLogger } from '../logger.js';
import { figuresOf, perNames } from '../../figures.js';
import { EventFile } from './event-file.js';
import {
  histogramValue,
  restartEvent,
  ScalarValues,
  scalarValue,
  sessionEndValue,
  sessionStartValue,
  summaryEvent,
  textValue,
  type HyperparameterValue,
} from './messages.js';

const options = Type.Object(
  {
    dir: Type.String({ description: 'folder of the event files, relative to the run’s folder' }),
    episodes: Type.Integer({ minimum: 0, description: 'episodes of each rollout that are written as text; 0: none' }),
    histograms: Type.Boolean({ description: 'write a histogram of the returns of each rollout' }),
  },
  { additionalProperties: false, description: 'event files that TensorBoard shows' },
);

interface Settings {
  episodes: number;
  histograms: boolean;
}

export const tensorBoardLogger: LoggerUnit<typeof options> = {
  name: 'tensorboard',
  description: 'event files that TensorBoard shows',
  options,
  async open({ directory, name, config, resumedAfter }, { dir, ...settings }) {
    const file = await EventFile.create(resolve(directory, dir));
    const logger = new TensorBoardLogger(file, settings);
    const wallTime = Date.now() / 1000;
    // Steps of earlier files are discarded from the one at which the run is resumed; at the beginning even step 0, since a
    // process that was killed before its first checkpoint may have written it.
    await file.append(restartEvent({ wallTime, step: resumedAfter === 0 ? 0 : resumedAfter + 1 }));
    await file.append(
      summaryEvent({ wallTime, step: 0 }, [sessionStartValue(name, hyperparameters(config), wallTime)]),
    );
    return logger;
  },
};

class TensorBoardLogger implements RunLogger {
  #last = 0;
  readonly #scalars = perNames((names) => new ScalarValues(names));

  constructor(
    private readonly file: EventFile,
    private readonly settings: Settings,
  ) {}

  async log({ iteration, metrics, seconds, episodes }: LoggedStep): Promise<void> {
    this.#last = iteration;
    const { histograms } = this.settings;
    const { names, values: numbers } = figuresOf(metrics);
    const scalars = this.#scalars(names).with(numbers);
    const values = [
      ...Object.entries(seconds).map(([phase, value]) => scalarValue(`seconds/${phase}`, value)),
      ...episodes.slice(0, this.settings.episodes).map((episode, i) => textValue(`episodes/${i}`, markdown(episode))),
      ...(histograms && episodes.length > 0 ? [histogramValue('rollout/returns', episodes.map(episodicReturn))] : []),
    ];
    await this.file.append(summaryEvent({ wallTime: Date.now() / 1000, step: iteration }, values, scalars));
  }

  async close({ status, results }: LoggedEnd): Promise<void> {
    const wallTime = Date.now() / 1000;
    const values = Object.entries(results).map(([name, value]) => scalarValue(name, value));
    const at = { wallTime, step: this.#last };
    if (values.length > 0) await this.file.append(summaryEvent(at, values));
    await this.file.append(summaryEvent(at, [sessionEndValue(status, wallTime)]));
  }
}

/** Returns the config's values by path. Values other than strings, numbers and booleans are converted to JSON. */
function hyperparameters(config: Readonly<Record<string, unknown>>, prefix = ''): Record<string, HyperparameterValue> {
  const entries = Object.entries(config).flatMap(([key, value]): [string, HyperparameterValue][] => {
    if (value === null || value === undefined) return [];
    if (typeof value === 'object' && !Array.isArray(value))
      return Object.entries(hyperparameters(value as Record<string, unknown>, `${prefix}${key}.`));
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return [[`${prefix}${key}`, isPlain ? value : JSON.stringify(value)]];
  });
  return Object.fromEntries(entries);
}

function markdown(episode: Trajectory): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', '<br>');
  const rows = episode.transitions.map(
    ({ state, observation, action, reward }) => `| ${cell(state ?? observation)} | ${cell(action)} | ${reward} |`,
  );
  const title = `episode ${episode.episode}: return ${episodicReturn(episode)}`;
  return [title, '', '| observation | action | reward |', '|---|---|---|', ...rows].join('\n');
}
