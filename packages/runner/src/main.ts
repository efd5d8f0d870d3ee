// The command `run`: Hydra's command line over this repository's configs.
// Nothing of the compute stack, nor the validator, is loaded before it is needed.
import { fileURLToPath } from 'node:url';
import { registerResolver, runCommandLine } from '@bowyer/config';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** `${first:a,b,…}`: the first value that is not null. */
registerResolver('first', (...values) => values.find((value) => value !== null) ?? null);

process.exitCode = await runCommandLine({
  argv: process.argv.slice(2),
  programName: 'run',
  configDir: `${repository}configs`,
  configName: 'archer_20q',
  searchPaths: [{ dir: `${repository}experiments`, group: 'experiment' }],
  validate: async (composition) => (await import('./validate-config.js')).validateConfig(composition),
  describe: async () => (await import('./run-config.js')).runConfigSchema,
  job: async (context) => (await import('./job.js')).job(context),
});
