// Moves secrets such as API keys, which configs of other programs contain, to environment variables before a config is printed,
// saved or passed to other processes. It also translates ArCHer's `use_wandb`, which chooses the logger of Weights & Biases.
import { compose, type Composition } from '@bowyer/config';

type Environment = Record<string, string | undefined>;

/** For each key whose value is a secret: the environment variable that replaces it. */
const VARIABLES: Readonly<Record<string, string>> = {
  wandb_key: 'WANDB_API_KEY',
  huggingface_token: 'HF_TOKEN',
  api_key: 'OPENAI_API_KEY',
};

/** Keys whose value is replaced by the name of the environment variable, since the run reads that name. */
const BY_NAME: readonly string[] = ['api_key'];

/**
 * Removes secrets from the command line, because a run records its command line.
 *
 * @param env receives the secrets
 */
export function withoutSecrets(argv: readonly string[], env: Environment): string[] {
  return argv.flatMap((word) => {
    const [, key = '', given = ''] = /^\+{0,2}(\w+)=(.*)$/s.exec(word) ?? [];
    const secret = given.replace(/^(['"])(.*)\1$/s, '$2');
    if (!Object.hasOwn(VARIABLES, key)) return [word];
    if (secret !== '' && secret !== 'null') env[VARIABLES[key]] = secret;
    else if (BY_NAME.includes(key)) return [word];
    return BY_NAME.includes(key) ? [`${key}=${VARIABLES[key]}`] : [];
  });
}

/** Removes secrets that come from config files. @param env receives the secrets */
export function withoutSecretsOf(composition: Composition, env: Environment): Composition {
  const found = Object.keys(VARIABLES).filter((key) => !BY_NAME.includes(key) && key in composition.config);
  for (const key of found) {
    const secret = composition.config[key];
    if (typeof secret === 'string' && secret !== '') env[VARIABLES[key]] = secret;
  }
  return found.length === 0 ? composition : composition.without(found);
}

/**
 * Adds the logger of Weights & Biases if a config file has `use_wandb: true`.
 *
 * @param configs the folder of Bowyer's config files
 */
export function withWandb(composition: Composition, configs: string): Composition {
  const { use_wandb, wandb_log, logger } = composition.config;
  if (use_wandb === undefined && wandb_log === undefined) return composition;
  const rest = composition.without(['use_wandb', 'wandb_log']);
  if ((use_wandb ?? wandb_log) !== true || logger === undefined || Object.hasOwn(logger as object, 'wandb'))
    return rest;
  const chosen = compose({ configDirs: [configs], configName: 'base', overrides: ['logger=[wandb]'] });
  return rest.withNodeOf(chosen, 'logger.wandb');
}
