// Defines the command `bowyer`: Hydra's command line over this repository's config files. The libraries that run models and
// validate configs are loaded only when they are needed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { registerResolver, type CommandLine } from '@bowyer/config';
import { ConfigNotes, impliedContext } from './config/config-notes.js';
import { flatNames, shippedRoot } from './keys/flat-names.js';
import { algorithmOfKey } from './config/algorithm-of-key.js';
import { withPluginPaths } from './plugins/plugins.js';
import { withArguments } from './config/originals/arguments.js';
import { translate } from './config/originals/translate.js';
import { withImplied } from './config/implied.js';
import { withoutSecrets, withoutSecretsOf, withWandb } from './config/secrets.js';
import type { Leader } from './ranks/leader.js';

const configs = join(shippedRoot, 'configs');

/**
 * Folders of config files that are searched after `configs`. The folder of a study has its sweeps in the group `experiment`, and
 * its presets.
 */
const experiments = join(shippedRoot, 'experiments');
const shipped = [configs, experiments];
const studies = readdirSync(experiments, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => ({ dir: join(experiments, entry.name), provider: 'study' }));
export const searchPaths = [{ dir: experiments, group: 'experiment' }, ...studies];

/** Defines the interpolation `${first:a,b,…}` of config values: the first value that is not null. */
registerResolver('first', (...values) => values.find((value) => value !== null) ?? null);

const DEFAULT_CONFIG = 'archer_20q';

/** The name of the config group `algorithm` in ArCHer, which is accepted on command lines and in sweeps. */
export const overrideAliases: CommandLine['overrideAliases'] = { agent_type: 'algorithm' };

/** Flags of the command `bowyer`, each with the override for which it stands. */
const switches: Readonly<Record<string, string>> = { '--quiet': 'quiet=true', '--json': 'json=true' };

/** The options that people change most, which `--help` lists first; a config shows those that its task has. */
const mainOptions: readonly string[] = [
  'task.model',
  'task.data',
  'task.agent',
  'task.tasks',
  'task.reward',
  'task.output',
  'task.port',
  'policy.model',
  'policy.checkpoint',
  'algorithm.iterations',
  'algorithm.epochs',
  'task.epochs',
  'algorithm.rollout.size',
  'algorithm.rollout.group_size',
  'algorithm.actor.lr',
  'algorithm.critic.lr',
  'algorithm.batch.size',
  'task.batch_size',
  'task.lr',
  'algorithm.eval.freq',
  'algorithm.eval.size',
  'task.test_size',
  'lora.enabled',
  'sampling.max_new_tokens',
  'sampling.temperature',
  'play.slots',
  'device.kind',
  'device.threads',
  'seed',
  'save_path',
  'run_name',
];

/** Overrides that change only how output is printed; a command line with nothing else starts no run. */
const presentation = Object.values(switches);

/**
 * @param argv the arguments after the name of the command
 * @param leader of the processes that mpirun or srun has started; null for a single process
 * @param notes collects notes on translated keys
 */
export function bowyer(argv: readonly string[], leader: Leader | null = null, notes = new ConfigNotes()): CommandLine {
  return {
    argv: withoutSecrets(withArguments(argv), process.env).map((word) => switches[word] ?? word),
    programName: 'bowyer',
    commandPrefix: 'npx bowyer',
    jobName: 'run',
    version: '0.3.0',
    configDir: configs,
    configName: DEFAULT_CONFIG,
    searchPaths,
    overrideAliases,
    mainOptions,
    flatNames,
    impliedDefaults: algorithmOfKey((line) => notes.ofFiles.add(line)),
    overview: async (overrides) => {
      if (!overrides.every((word) => presentation.includes(word))) return undefined;
      const text = (await import('./overview.js')).overview(configs);
      return overrides.includes('json=true') ? `${JSON.stringify({ event: 'text', text })}\n` : text;
    },
    isInternalGroup: (group) => /^(preset\/|experiment\/)/.test(group),
    translate: (overrides, context) => {
      if (context.isDefaultConfig)
        notes.ofCommandLine.push(`config ${DEFAULT_CONFIG}, since no --config-name is given`);
      return translate(overrides, context, {
        env: process.env,
        note: (line) => notes.ofCommandLine.push(line),
        factsOf: async (composed, typed) => (await import('./config/implied-facts.js')).runFacts(composed, typed),
      });
    },
    async prepare(composed, context) {
      const safe = withoutSecretsOf(
        await withImplied(composed, impliedContext(composed, context, notes, shipped)),
        process.env,
      );
      const composition = withPluginPaths(withWandb(safe, configs), context);
      const { unreadKeys } = await import('./config/prepare.js');
      return composition.without(await unreadKeys(composition, context, shipped));
    },
    validate: async (composition) => (await import('./config/validate-config.js')).validateConfig(composition),
    notesOf: (composition) => notes.of(composition),
    explain: async (error, context) => (await import('./config/explain.js')).explain(error, context, configs),
    describe: async (composition) => (await import('./config/units.js')).schemaOf(composition),
    job: async (context) => (await import('./job.js')).job(context, leader, notes.of(context.composition)),
    admit: async (directory) => (await import('./run/folder-owner.js')).admitToFolder(directory),
    afterSweep: async (directory) => (await import('./sweep/compare-jobs.js')).compareJobs(directory),
    launch: async (request) => {
      leader?.refuse('a sweep (-m)', 'start it without them; its launcher runs several jobs at once');
      return (await import('./sweep/launch-sweep.js')).launchSweep(request);
    },
  };
}
