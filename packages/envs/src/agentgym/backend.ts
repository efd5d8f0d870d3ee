// The common part of environments that run in this process or on AgentGym's servers: options, keys, and the client.
import { choice, option, type Static } from '@bowyer/core';
import type { Env } from '../contract/env.js';
import { agentGymEnv } from './agentgym-env.js';
import type { AgentGymFamily } from './families.js';
import { instructionsOf } from './instructions.js';
import { agentGymProperties } from './options.js';
import type { Condition, ConfigRules, EnvProblem, OptionsSchema } from '../unit.js';
import type { OptionsOf } from '../option.js';

export const backendProperties = {
  backend: choice(
    ['embedded', 'agentgym'],
    'embedded',
    "'embedded' plays in this process; 'agentgym' plays on a server of AgentGym's at baseUrl.",
  ),
  baseUrl: agentGymProperties.baseUrl,
  actionFormat: option<Static<typeof agentGymProperties.actionFormat>>({
    ...agentGymProperties.actionFormat,
    enum: ['plain', 'react'],
    default: 'plain',
  }),
  timeoutMs: agentGymProperties.timeoutMs,
  testItems: agentGymProperties.testItems,
} as const;

export type BackendOptions = OptionsOf<{ properties: typeof backendProperties }>;

const served: Condition = { backend: ['agentgym'] };

/** A condition for options of the game in this process; a server has settings of its own. */
export const embeddedOnly: Condition = { backend: ['embedded'] };

interface PlayedHere<Options> {
  /** The option that limits the turns, on a server too. */
  limit: string & keyof Options;
  make(options: Options): Env;
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** Conditions beside those of the backend. */
  readWith?: ConfigRules<Options>['readWith'];
  problems?(options: Options): EnvProblem[];
}

/**
 * Returns the members of a unit whose game is played in this process or on AgentGym's server. The only option of the game that a server
 * is given is its limit. An agent that writes plain actions gets no instructions on other formats.
 */
export const playedHereOrServed = <Options extends BackendOptions>(
  family: AgentGymFamily,
  schema: OptionsSchema,
  { limit, make, flatNames, readWith, problems = () => [] }: PlayedHere<Options>,
) => ({
  rules: ({ actionFormat }: Options) => instructionsOf(family, actionFormat, null),
  schema,
  make: (options: Options): Env => {
    const { backend, baseUrl, actionFormat, timeoutMs } = options;
    if (backend === 'embedded') return make(options);
    const instructions = actionFormat !== 'plain';
    return agentGymEnv(family, { baseUrl, actionFormat, timeoutMs, instructions, maxRounds: Number(options[limit]) });
  },
  config: {
    flatNames: { ...agentGymNames, ...flatNames },
    readWith: {
      ...Object.fromEntries(
        Object.keys(schema.properties)
          .filter((key) => key !== 'backend' && key !== limit)
          .map((key) => [key, key in backendProperties ? served : embeddedOnly]),
      ),
      ...readWith,
    },
    problems: (options: Options) => [...missingAddress(family, options), ...problems(options)],
  } as ConfigRules<Options>,
});

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
