// Defines the options and the unit's members of environments that can be played either in this process or on an AgentGym server.
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

/** The condition under which options of the game itself have an effect: an AgentGym server has its own settings of the game. */
export const embeddedOnly: Condition = { backend: ['embedded'] };

interface PlayedHere<Options> {
  /** The name of the game's option that limits the turns. It also limits the turns on a server. */
  limit: string & keyof Options;
  make(options: Options): Env;
  flatNames?: Readonly<Record<string, string & keyof Options>>;
  /** Conditions under which options have an effect, in addition to those that follow from the option `backend`. */
  readWith?: ConfigRules<Options>['readWith'];
  problems?(options: Options): EnvProblem[];
}

/**
 * Returns the members of a unit. The client of a server gets none of the game's options except the limit of turns, and with the
 * action format `plain` it does not put instructions before the first observation.
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

/** Options that do not affect demonstrations, since demonstrations are always played in this process. */
export const backendOptionNames = ['backend', 'baseUrl', 'actionFormat', 'timeoutMs', 'testItems'] as const;

/** AgentGym's own name for the option of the server's address, which a config may use too. */
export const agentGymNames = { env_server_base: 'baseUrl' } as const;

/** Returns a problem for the check of the config if the environment is played on a server and `base_url` is missing. */
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
      remedy: 'give its address: env.base_url=http://HOST:PORT',
    },
  ];
}
