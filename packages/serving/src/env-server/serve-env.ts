// Serves an environment by its name over AgentGym's HTTP protocol, with the options under which it behaves like AgentGym's own.
import {
  agentGymFamilies,
  environmentInfo,
  itemKey,
  makeEnv,
  type Env,
  type EnvName,
  type EnvParts,
} from '@bowyer/envs';
import { EnvServer, type EnvServerOptions } from './env-server.js';

/** AgentGym's servers of the environments below have no step limit, since their clients count rounds. */
const UNLIMITED = 1_000_000;
/** The number of products in the served shop. Each goal has a different product. */
const SERVED_PRODUCTS = 4000;

/** The options under which an environment behaves as in AgentGym's server. */
const servedOptions: Partial<Record<EnvName, Record<string, unknown>>> = {
  maze: { observation: 'full', reward: 'agentgym' },
  wordle: { observation: 'answer', reward: 'agentgym' },
  webshop: { observation: 'text', maxTurns: UNLIMITED },
  textcraft: { observation: 'turn', stepLimit: UNLIMITED },
  babyai: { stepLimit: UNLIMITED }, // its levels also limit the grid moves (turns, steps by one cell) that actions take
  alfworld: { observation: 'turn' },
};

/** Adds products to the default shop, since AgentGym's server has more goals. A shop that the user chose is kept. */
function servedGoals(name: EnvName, options: Record<string, unknown>): Record<string, unknown> {
  if (name !== 'webshop') return {};
  const { properties } = environmentInfo(name).schema;
  const isDefault = (key: string) => (options[key] ?? properties[key].default) === properties[key].default;
  if (!['products', 'numProducts', 'numGoals'].every(isDefault)) return {};
  return { numProducts: SERVED_PRODUCTS, numGoals: agentGymFamilies.webshop.items };
}

/** Environments whose texts end with a line break in this project but not in AgentGym; the server removes it. */
const endInLineEnd: readonly EnvName[] = ['babyai', 'alfworld'];

export interface ServeEnvOptions extends Pick<
  EnvServerOptions,
  'host' | 'port' | 'maxInstances' | 'idleMs' | 'onFault'
> {
  name: EnvName;
  /** The environment's options. Options that decide how AgentGym's protocol works are set by the server. */
  options: Record<string, unknown>;
  parts?: EnvParts;
}

/** Starts the server, and returns it once it listens. */
export async function serveEnv({ name, options, parts, ...limits }: ServeEnvOptions): Promise<EnvServer> {
  const key = itemKey(name);
  const make = (): Env => makeEnv(name, { ...options, ...servedOptions[name], ...servedGoals(name, options) }, parts);
  await make().close(); // invalid options are reported now, instead of at the first request
  return EnvServer.listen({
    ...limits,
    name,
    makeEnv: make,
    resetOptions: (item) => (item === null ? {} : { [key]: item }),
    withoutLineEnd: endInLineEnd.includes(name),
    ...(name === 'wordle' && { vocabulary: await wordleVocabulary(make) }),
  });
}

/** The function of GET /filtered_vocab: all words before the first reset, later those that the answers to the guesses allow. */
async function wordleVocabulary(make: () => Env): Promise<EnvServerOptions['vocabulary']> {
  const env = make();
  const { info } = await env.reset({ seed: 0 });
  await env.close();
  const words = (of: Readonly<Record<string, unknown>>): string[] => (of.possible as readonly string[]).map(String);
  return (state) => words(state?.info ?? info);
}
