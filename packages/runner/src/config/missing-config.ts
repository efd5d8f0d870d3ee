// Suggests a command line if `--config-name` names a config that does not exist, such as `ppo_20q`.
import { readFileSync } from 'node:fs';
import { compose, ConfigError, type Composition } from '@bowyer/config';

type Repository = Composition['repository'];

/** The algorithms for other names with which a user may begin the name of a config, as in `sft_20q`. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  filteredbc: 'online_filteredbc',
  filtered_bc: 'online_filteredbc',
  online_filtered_bc: 'online_filteredbc',
  sft: 'bc',
  agentevol: 'agent_evol',
  evolve: 'agent_evol',
  reinforce: 'reinforce_pp',
};

/** The environments for other names with which a user may end the name of a config, as in `ppo_detective`. */
const ENVIRONMENTS: Readonly<Record<string, string>> = {
  '20q': 'twenty_questions',
  '20q_subset': 'twenty_questions',
  city: 'guess_my_city',
  detective: 'adventure',
  cooking: 'cookingworld',
  agentgym: 'mixture',
};

/** Opens the repository of config files in the folder that contains `base.yaml`. */
export const repositoryOf = (configs: string): Repository =>
  compose({ configDirs: [configs], configName: 'base', overrides: [] }).repository;

/** The remedy for `--config-name train`: `train` is the name of a task, not of a config. */
const TRAININGS = [
  'write --config-name archer_20q (an agent in an environment), --config-name train_agent (an agent of your own)',
  'or --config-name finetune (a model on your data); npx bowyer alone lists all configs',
];

/** For `bowyer archer_20q` and `bowyer train`, where `--config-name` is missing; undefined for other errors. */
export function configWithoutFlag(error: ConfigError, configs: string): ConfigError | undefined {
  const name = /^Cannot read override '(\w+)': '=' is missing$/.exec(error.summary)?.[1];
  return name === undefined ? undefined : withRemedy(error, name, configs);
}

/**
 * Returns an error with a command line to use instead of a config that does not exist; undefined where its name suggests none.
 */
export function missingConfig(error: ConfigError, configs: string): ConfigError | undefined {
  const name = /^Cannot find primary config '([\w./-]+)'$/.exec(error.summary)?.[1];
  return name === undefined ? undefined : withRemedy(error, name.replace(/\.ya?ml$/, ''), configs, error.details);
}

function withRemedy(
  error: ConfigError,
  name: string,
  configs: string,
  details: readonly string[] = [],
): ConfigError | undefined {
  if (name === 'train') return new ConfigError(error.kind, error.summary, TRAININGS, error);
  const repository = repositoryOf(configs);
  const instead = repository.options('').includes(name)
    ? name
    : repository.options('task').includes(name)
      ? `archer_20q task=${name}`
      : compositionOf(name.toLowerCase(), repository);
  if (instead === undefined) return undefined;
  const shown = commandOf(repository.load(instead)?.file, instead);
  const remedy = `write --config-name ${instead}${shown === undefined ? '' : `, as in ${shown}`}`;
  return new ConfigError(error.kind, error.summary, [remedy, ...details], error);
}

/** Returns the example command in the comments at the top of a config file; undefined without one. */
function commandOf(file: string | undefined, name: string): string | undefined {
  const head = file === undefined ? '' : readFileSync(file, 'utf8').split('\ndefaults:')[0];
  return new RegExp(`npx bowyer --config-name ${name} (?:[^;.#\\n]|\\.(?! |$))+`, 'm').exec(head)?.[0].trimEnd();
}

function compositionOf(name: string, repository: Repository): string | undefined {
  const algorithms = [...repository.options('algorithm'), ...Object.keys(ALGORITHMS)].sort(
    (a, b) => b.length - a.length,
  );
  const start = algorithms.find((option) => name === option || name.startsWith(`${option}_`));
  if (start === undefined) return undefined;
  const algorithm = ALGORITHMS[start] ?? start;
  const end = name.slice(start.length + 1);
  if (end === '') return `archer_20q algorithm=${algorithm}`;
  const env = ENVIRONMENTS[end] ?? end;
  if (!repository.options('env').includes(env)) return undefined;
  const base = primaryOf(end, env, repository);
  return base === undefined ? `archer_20q algorithm=${algorithm} env=${env}` : `${base} algorithm=${algorithm}`;
}

/** Finds a primary config of the environment. ArCHer's config is preferred, since its settings fit every algorithm. */
function primaryOf(end: string, env: string, repository: Repository): string | undefined {
  const named = repository.options('').filter((name) => name.endsWith(`_${end}`) || name.endsWith(`_${env}`));
  const trains = named.filter((name) => choosesAlgorithm(repository, name));
  return (
    trains.find((name) => name.startsWith('archer_')) ?? trains.find((name) => name.startsWith('bc_')) ?? trains[0]
  );
}

function choosesAlgorithm(repository: Repository, name: string): boolean {
  const defaults = repository.load(name)?.defaults;
  return defaults?.kind === 'list' && defaults.items.some((item) => item.kind === 'map' && item.get('algorithm'));
}
