// The command `bowyer`: Hydra's command line over this repository's configs.
// Neither the compute stack nor the validator is loaded before it is needed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { registerResolver, type CommandLine } from '@bowyer/config';
import { overrideAliases } from './config/aliases.js';

/** Where `configs` and `experiments` are: in the published package itself, in a checkout at its root. */
const runner = resolve(import.meta.dirname, '..');
const root = existsSync(join(runner, 'configs')) ? runner : resolve(runner, '..', '..');

/** `${first:a,b,…}`: the first value that is not null. */
registerResolver('first', (...values) => values.find((value) => value !== null) ?? null);

/** @param argv what the user typed after the command's name */
export const bowyer = (argv: readonly string[]): CommandLine => ({
  argv,
  programName: 'bowyer',
  commandPrefix: 'npx bowyer',
  jobName: 'run',
  version: '0.1.0',
  configDir: join(root, 'configs'),
  configName: 'archer_20q',
  searchPaths: [{ dir: join(root, 'experiments'), group: 'experiment' }],
  overrideAliases,
  prepare: async (composition, context) =>
    (await import('./config/prepare.js')).prepare(composition, context, `${root}/`),
  validate: async (composition) => (await import('./config/validate-config.js')).validateConfig(composition),
  explain: async (error) => (await import('./config/foreign-keys.js')).explain(error),
  describe: async (composition) => (await import('./config/units.js')).schemaOf(composition),
  job: async (context) => (await import('./job.js')).job(context),
  launch: async (request) => (await import('./sweep/launch-sweep.js')).launchSweep(request),
});
