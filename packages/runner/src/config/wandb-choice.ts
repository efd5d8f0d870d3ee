// ArCHer's keys for Weights & Biases: `use_wandb` chooses its logger, and `wandb_key` becomes an environment variable before a config
// is printed, saved or handed on.
import { compose, type Composition } from '@bowyer/config';

type Environment = Record<string, string | undefined>;

const VARIABLE = 'WANDB_API_KEY';

/**
 * The words of the command line without the key, which would be in the record of the run's overrides.
 *
 * @param env gets it
 */
export function withoutKey(argv: readonly string[], env: Environment): string[] {
  return argv.filter((word) => {
    const given = /^\+{0,2}wandb_key=(.*)$/s.exec(word)?.[1];
    const key = given?.replace(/^(['"])(.*)\1$/s, '$2') ?? '';
    if (key === '') return true;
    env[VARIABLE] = key;
    return false;
  });
}

/** The composition without a key of its files, and with the logger that `use_wandb` asks for. @param configs folder of the program */
export function withWandb(composition: Composition, configs: string, env: Environment): Composition {
  const key = composition.config.wandb_key;
  const hasKey = typeof key === 'string' && key !== '';
  if (hasKey) env[VARIABLE] = key;
  const safe = hasKey ? composition.with({ wandb_key: '' }) : composition;
  if (safe.config.use_wandb !== true || safe.config.logger === undefined) return safe;
  if (Object.hasOwn(safe.config.logger as object, 'wandb')) return safe;
  const logger = compose({ configDirs: [configs], configName: 'base', overrides: ['logger=[wandb]'] });
  return safe.withNodeOf(logger, 'logger.wandb');
}
