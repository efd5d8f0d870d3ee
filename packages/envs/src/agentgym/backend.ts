// The common part of environments that run in this process or on AgentGym's servers: options, keys, and the client.
import { agentGymEnv, type AgentGymEnv } from './agentgym-env.js';
import type { AgentGymFamily } from './families.js';
import { agentGymProperties } from './options.js';
import type { Condition, EnvProblem } from '../unit.js';
import { choice, type OptionsOf } from '../option.js';

export const backendProperties = {
  backend: choice(
    ['embedded', 'agentgym'],
    'embedded',
    "'embedded' plays in this process; 'agentgym' plays on a server of AgentGym's at baseUrl.",
  ),
  baseUrl: agentGymProperties.baseUrl,
  actionFormat: { ...agentGymProperties.actionFormat, enum: ['plain', 'react'], default: 'plain' },
  timeoutMs: agentGymProperties.timeoutMs,
  testItems: agentGymProperties.testItems,
} as const;

export type BackendOptions = OptionsOf<{ properties: typeof backendProperties }>;

/** Returns the game's client. An agent that writes plain actions gets no instructions on other formats. */
export const servedGame = (
  family: AgentGymFamily,
  { baseUrl, actionFormat, timeoutMs }: BackendOptions,
  maxRounds: number,
): AgentGymEnv =>
  agentGymEnv(family, { baseUrl, actionFormat, timeoutMs, instructions: actionFormat !== 'plain', maxRounds });

const served: Condition = { backend: ['agentgym'] };

/** A condition for options of the game in this process; a server has settings of its own. */
export const embeddedOnly: Condition = { backend: ['embedded'] };

export const backendReadWith = { baseUrl: served, actionFormat: served, timeoutMs: served, testItems: served } as const;

/** Options without effect on demonstrations, which are always played in this process. */
export const backendOptionNames = ['backend', 'baseUrl', 'actionFormat', 'timeoutMs', 'testItems'] as const;

/** The name that AgentGym gives to the address. */
export const agentGymNames = { env_server_base: 'baseUrl' } as const;

/** Returns the problem of an environment that is to be played on an AgentGym server whose address is not given. */
export function missingAddress(
  name: string,
  { backend, baseUrl }: { backend?: string; baseUrl: string | null },
): EnvProblem[] {
  if (baseUrl !== null || (backend !== undefined && backend !== 'agentgym')) return [];
  const choice = backend === undefined ? '' : ` with env.backend=${backend}`;
  return [
    {
      key: 'env.base_url',
      message: `env.base_url is null: ${name} is played on a server${choice}, and none is named`,
      remedy: 'give its address: env.base_url=http://HOST:PORT, or env_server_base=http://HOST:PORT as in AgentGym',
    },
  ];
}
