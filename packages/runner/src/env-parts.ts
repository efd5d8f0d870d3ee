// What an environment is given beside its options: the oracle that `env.oracle` names, made from the config.
import { stat } from 'node:fs/promises';
import type { EnvParts } from '@bowyer/envs';
import type { RunConfig } from './run-config.js';

export interface OpenEnvParts {
  parts: EnvParts;
  close: () => Promise<void>;
}

const none: OpenEnvParts = { parts: {}, close: () => Promise.resolve() };

/** Tasks that play. The others need no oracle. */
const playing: readonly RunConfig['task'][] = ['train', 'evaluate', 'play'];

/** @throws before anything is played if the oracle cannot be made */
export async function openEnvParts(config: RunConfig): Promise<OpenEnvParts> {
  const { env, task } = config;
  if (!playing.includes(task) || env.oracle === undefined || env.oracle === 'rules') return none;
  if (env.oracle !== 't5') throw new Error(`env.oracle=${String(env.oracle)} is not built yet; rules and t5 are`);
  const { T5Oracle } = await import('./t5-oracle.js');
  const dir = await oracleDirectory(config);
  const oracle = await T5Oracle.open(env.name, dir, { device: config.device, threads: config.threads || undefined });
  return { parts: { oracle }, close: () => oracle.close() };
}

/** `env.oracle_model`, or ArCHer's key for it. */
async function oracleDirectory({ env, envLoadPath }: RunConfig): Promise<string> {
  const path = (env.oracleModel as string | null) ?? envLoadPath;
  if (path === null)
    throw new Error(
      'env.oracle=t5 needs the directory of a Flan-T5: env.oracle_model is null\n' +
        '  give env.oracle_model=DIRECTORY (or env_load_path=DIRECTORY, as in ArCHer), or env.oracle=rules',
    );
  if ((await stat(path).catch(() => null))?.isFile())
    throw new Error(
      `env.oracle=t5: ${path} is a file; a Hugging Face directory is needed\n` +
        '  put its weights as model.safetensors beside the config.json and tokenizer.json of google/flan-t5-small',
    );
  return path;
}
