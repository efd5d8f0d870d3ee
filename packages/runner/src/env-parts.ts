// What an environment is given beside its options: the oracle that `env.oracle` names, made from the config.
import { stat } from 'node:fs/promises';
import { environmentInfo, OpenAiChat, OpenAiOracle, type EnvParts, type OracleOptions } from '@bowyer/envs';
import { environmentOptions } from './environments.js';
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
  if (env.oracle === 'openai') return openAiOracle(config);
  const { T5Oracle } = await import('./t5-oracle.js');
  const dir = await oracleDirectory(config);
  const oracle = await T5Oracle.open(env.name, dir, { device: config.device, threads: config.threads || undefined });
  return { parts: { oracle }, close: () => oracle.close() };
}

/** The key comes from OPENAI_API_KEY; a server that asks for none needs none. */
function openAiOracle({ env, slots }: RunConfig): OpenEnvParts {
  const { oracleUrl: baseUrl, oracleModel: model } = env as unknown as OracleOptions;
  if (baseUrl === null || model === null)
    throw new Error(
      `env.oracle=openai needs a server and a model: env.oracle_${baseUrl === null ? 'url' : 'model'} is null\n` +
        '  give env.oracle_url=http://HOST:PORT/v1 env.oracle_model=NAME, or env.oracle=rules',
    );
  const prompt = environmentInfo(env.name).oracles?.openai;
  if (prompt === undefined) throw new Error(`${env.name} has no openai oracle\n  leave env.oracle out`);
  const chat = new OpenAiChat({ baseUrl, model, apiKey: process.env.OPENAI_API_KEY ?? null, concurrency: slots });
  return { parts: { oracle: new OpenAiOracle(chat, model, prompt) }, close: () => chat.close() };
}

/** `env.oracle_model`, or ArCHer's key for it. */
async function oracleDirectory(config: RunConfig): Promise<string> {
  const path = environmentOptions(config).oracleModel as string | null;
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
