// Implements sweeper=wandb: creates a sweep at Weights & Biases, whose trials are then run by agents (task=wandb_agent).
import {
  ConfigError,
  plainValue,
  quotedText,
  sweepDimensions,
  type SweepDimension,
  type SweepOutcome,
  type SweepRequest,
} from '@bowyer/config';
import { createSweep, type SweepConfig } from '@bowyer/wandb';
import { shellQuoted } from '@bowyer/core';
import { WANDB_TRIALS, type SweeperConfig } from '../keys/sweep-schema.js';

/** Creates the sweep at Weights & Biases and prints how to run its trials. With `--dry-run` the sweep is only printed. */
export async function makeWandbSweep(request: SweepRequest, sweeper: SweeperConfig): Promise<SweepOutcome> {
  const { master, program } = request;
  const dimensions = sweepDimensions(request.overrides, master);
  const varied = dimensions.filter((dimension) => dimension.kind === 'interval' || dimension.texts.length > 1);
  const fixed = dimensions.flatMap((dimension) => (varied.includes(dimension) ? [] : texts(dimension)));
  if (varied.length === 0)
    throw new ConfigError('sweep', 'sweeper=wandb: nothing is swept over', [
      'give a key several values, as seed=0,1,2',
    ]);
  const method = sweeper.method ?? 'random';
  const points = method === 'grid' ? gridPoints(varied) : null;
  const trials = sweeper.trials ?? (points === null ? WANDB_TRIALS : null);
  if (points !== null && trials !== null && trials < points)
    request.announce(
      `sweeper.trials=${trials}: W&B ends the sweep after ${trials} of the ${points} points of its grid; sweeper.trials=null tries all`,
    );
  const words = [
    '--config-name',
    String(master.setting('hydra.job.config_name')),
    ...fixed.filter(isOfTrial),
    'hydra.mode=RUN',
    'logger=[wandb]',
  ];
  const config: SweepConfig = {
    method,
    metric: { name: sweeper.metric!, goal: sweeper.direction! },
    parameters: Object.fromEntries(varied.map((dimension) => [dimension.key, parameter(dimension)])),
    command: ['${env}', ...(program.commandPrefix ?? program.programName).split(' '), ...words, '${args_no_hyphens}'],
    ...(trials !== null && { run_cap: trials }),
  };
  const { stdout } = program;
  if (request.dryRun) {
    stdout.write(`${JSON.stringify(config, null, 2)}\n`);
    return { exitCode: 0 };
  }
  const entity = program.env.WANDB_ENTITY || null;
  const project = program.env.WANDB_PROJECT || String(master.setting('project_name'));
  const { place, url, warnings } = await createSweep(config, { entity, project }, program.env);
  for (const warning of warnings) request.announce(`W&B: ${warning}`);
  const command = `task.command=[${words.map((word) => (/^[\w./-]+$/.test(word) ? word : quotedText(word))).join(',')}]`;
  const agent = [program.commandPrefix ?? program.programName, '--config-name', 'wandb_agent'];
  const sweep = `task.sweep=${place.entity}/${place.project}/${place.id}`;
  stdout.write(
    `sweep: ${url}\nits trials, on any number of computers:\n  ${[...agent, sweep, shellQuoted(command)].join(' ')}\n`,
  );
  return { exitCode: 0 };
}

/** Throws where a dimension is an interval, which has no finite number of points. */
function gridPoints(varied: readonly SweepDimension[]): number {
  const interval = varied.find(({ kind }) => kind === 'interval');
  if (interval !== undefined)
    throw new ConfigError(
      'sweep',
      `sweeper.method=grid: ${interval.key} is an interval, which has no points`,
      ['list its values, or write sweeper.method=random or bayes'],
      { keyPath: interval.key },
    );
  return varied.reduce((product, dimension) => product * texts(dimension).length, 1);
}

const texts = (dimension: SweepDimension): readonly string[] => (dimension.kind === 'values' ? dimension.texts : []);

/** Returns whether an override is passed to the trials; those of the sweep itself are not. */
const isOfTrial = (override: string): boolean => !/^\+?(sweeper|launcher)\b/.test(override);

/** Returns the values of a config key in the format of a W&B sweep. */
function parameter(dimension: SweepDimension): object {
  if (dimension.kind === 'values')
    return { values: dimension.texts.map((text) => plainValue(dimension.key, text.slice(text.indexOf('=') + 1))) };
  const { start: min, end: max, tags, integer } = dimension;
  const isLog = tags.includes('log');
  if (integer && isLog) return { distribution: 'q_log_uniform_values', q: 1, min, max };
  return { distribution: integer ? 'int_uniform' : isLog ? 'log_uniform_values' : 'uniform', min, max };
}
