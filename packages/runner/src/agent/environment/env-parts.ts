// Opens the oracle that `env.oracle` names, a model that answers the questions of guessing games.
import { stat } from 'node:fs/promises';
import { environmentInfo, OpenAiChat, OpenAiOracle, type EnvParts, type OracleOptions } from '@bowyer/envs';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import type { Reporting } from '../../context/task-context.js';
import { localOracle } from '../folders/hub-models.js';
import { isWeightsFile } from '../folders/weights-file.js';
import { environmentOptions, type EnvironmentConfig } from './environment.js';

interface OpenEnvParts {
  parts: EnvParts;
  close: () => Promise<void>;
}

/** Discards log lines and progress in worker processes, since their parent process has already logged the same. */
const silent: Reporting = {
  log: () => undefined,
  progress: { write: () => undefined },
};

const none: OpenEnvParts = { parts: {}, close: () => Promise.resolve() };

type OracleConfig = EnvironmentConfig &
  Partial<NodePart<'play', 'slots'> & Pick<AgentConfig, 'hub'> & NodePart<'warmStart', 'cacheDir'>> & {
    device?: Partial<AgentConfig['device']>;
  };

/**
 * Opens the models that an environment needs in addition to its options, such as an oracle.
 *
 * @throws if the oracle cannot be opened, before any episode is played
 */
export async function openEnvParts(config: OracleConfig, context: Reporting = silent): Promise<OpenEnvParts> {
  const { oracle } = config.env;
  if (oracle === undefined || oracle === 'rules') return none;
  const options = environmentOptions(config) as Record<string, unknown> & OracleOptions;
  const { name, oracles = {} } = environmentInfo(config.env.name);
  if (oracle === 'openai' && oracles.openai) return openAiOracle(options, oracles.openai, config.play?.slots ?? 1);
  if (oracle !== 't5' || !oracles.t5) throw new Error(`${name} has no oracle '${String(oracle)}'`);
  const { T5Oracle } = await import('./t5-oracle.js');
  const dir = await localOracle(await oraclePlace(options), config, context);
  // The oracle runs on the policy's device: both share the GPU of this process, and the model that is loaded first decides how
  // GPU buffers are kept.
  const { kind = 'cpu', gpuBuffers, threads } = config.device ?? {};
  const network = await T5Oracle.open(oracles.t5, dir, { device: kind, gpuBuffers, threads: threads || undefined });
  return { parts: { oracle: network }, close: () => network.close() };
}

/** The API key comes from OPENAI_API_KEY, which a server without keys does not need. */
function openAiOracle(
  { oracleUrl: baseUrl, oracleModel: model }: OracleOptions,
  prompt: ConstructorParameters<typeof OpenAiOracle>[2],
  concurrency: number,
): OpenEnvParts {
  if (baseUrl === null || model === null)
    throw new Error(
      `env.oracle=openai needs a server and a model: env.oracle_${baseUrl === null ? 'url' : 'model'} is null\n` +
        '  give env.oracle_url=http://HOST:PORT/v1 env.oracle_model=NAME, or env.oracle=rules',
    );
  const chat = new OpenAiChat({ baseUrl, model, apiKey: process.env.OPENAI_API_KEY ?? null, concurrency });
  return { parts: { oracle: new OpenAiOracle(chat, model, prompt) }, close: () => chat.close() };
}

/** Returns the path of a model's folder or of a file of weights. @throws where it is null or nothing is found there */
async function oraclePlace({ oracleModel: path }: OracleOptions): Promise<string> {
  if (path === null)
    throw new Error(
      'env.oracle=t5 needs a Flan-T5: env.oracle_model is null\n' +
        '  give env.oracle_model=FOLDER_OR_FILE, or env.oracle=rules',
    );
  const found = await stat(path).catch(() => null);
  if (found?.isFile() && !isWeightsFile(path))
    throw new Error(`env.oracle=t5: ${path} is a file; a Hugging Face folder is needed, or ArCHer's file of weights`);
  if (found !== null) return path;
  throw new Error(
    `env.oracle=t5: there is no '${path}'\n  give the folder of a Flan-T5 or ArCHer's file of its weights, or env.oracle=rules`,
  );
}
