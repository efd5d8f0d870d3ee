// Defines the config keys that several tasks have, in groups of keys that are read together. Keys of the agent are in agent/keys,
// keys of one task in the folder of the task. Defaults that are not here are in configs/.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { seedOption } from '../agent/keys/model-keys.js';
import {
  changeableOnResume,
  nonNegative,
  nullable,
  group,
  optional,
  positive,
  text,
  type OptionsOf,
} from '@bowyer/core';
import { launcherSchema, sweeperSchema } from './sweep-schema.js';

export const runKeys = {
  seed: seedOption,
  save_path: changeableOnResume(
    nullable(Type.String(), 'folder of the run; a run found there is resumed. null: a new folder under outputs/'),
  ),
  plugins: changeableOnResume(
    Type.Array(Type.String(), {
      description:
        'modules of your own that register algorithms, environments or tasks; relative to the file that names them',
    }),
  ),
  quiet: changeableOnResume(
    Type.Boolean({
      description: 'show only warnings, errors and results; run.log gets everything. The flag --quiet does the same',
    }),
  ),
  json: changeableOnResume(
    Type.Boolean({
      description: 'write one JSON object a line to standard output, for scripts. The flag --json does the same',
    }),
  ),
  profile: changeableOnResume(
    Type.Boolean({
      description: 'write trace.json, which opens in ui.perfetto.dev, and log where the time went (docs/tracing.md)',
    }),
  ),
  open_telemetry: changeableOnResume(
    Type.Boolean({
      description: 'send spans of environment and endpoint calls to the collector of OTEL_EXPORTER_OTLP_ENDPOINT',
    }),
  ),
  launcher: changeableOnResume(launcherSchema),
  sweeper: changeableOnResume(sweeperSchema),
};

/** The keys that every task has, without the seed, for tasks that draw no random numbers. */
export const { seed: _, ...seedlessKeys } = runKeys;

/** The keys of the titles in reports and loggers, for tasks that write a report. */
export const titleKeys = (runName: string, project = 'llm_rl') => ({
  project_name: text(project, 'project, shown above the title of the report', { decides: false }),
  run_name: text(runName, 'title of the report', { decides: false }),
});

/**
 * Makes the config node `checkpoints`, which decides when a run writes a checkpoint, and thus how much work is lost if it is
 * killed.
 */
export const checkpointsNode = <Members extends TProperties>(members: Members) =>
  group(members, 'when a run writes a checkpoint');

export const saveMinutes = optional(
  nonNegative,
  'minutes between checkpoints; 0: a checkpoint after every step; null: 5 where an algorithm learns from a dataset, else none',
  { decides: false, flat: 'save_minutes' },
);

/** The interval between checkpoints, for runs whose length is counted in epochs. */
export const saveEpochs = optional(
  positive,
  'epochs between checkpoints (0.5: two in each epoch); null: only checkpoints.minutes decides',
  { decides: false, flat: 'save_freq' },
);

/** The values of the keys that every run has, in camelCase. A function takes those that it reads: `Pick<RunConfig, …>`. */
export type RunConfig = OptionsOf<TObject<typeof runKeys & ReturnType<typeof titleKeys>>>;
