// Options of a game that plays in this process or on a server of AgentGym's, and the client that they ask for.
import type { AgentGymEnv, AgentGymOptions } from './agentgym-env.js';
import type { AgentGymFamily } from './families.js';
import { agentGymEnv, agentGymProperties } from './options.js';

export interface BackendOptions {
  backend: 'embedded' | 'agentgym';
  baseUrl: string | null;
  actionFormat: AgentGymOptions['actionFormat'];
  timeoutMs: number;
}

export const backendProperties = {
  backend: {
    description: "'embedded' plays in this process; 'agentgym' plays on a server of AgentGym's at baseUrl.",
    type: 'string',
    enum: ['embedded', 'agentgym'],
    default: 'embedded',
  },
  baseUrl: agentGymProperties.baseUrl,
  actionFormat: { ...agentGymProperties.actionFormat, enum: ['plain', 'react'], default: 'plain' },
  timeoutMs: agentGymProperties.timeoutMs,
} as const;

/** The game's client; who writes plain actions needs no instructions on how to write others. */
export const servedGame = (
  family: AgentGymFamily,
  { baseUrl, actionFormat, timeoutMs }: BackendOptions,
  maxRounds: number,
): AgentGymEnv =>
  agentGymEnv(family, { baseUrl, actionFormat, timeoutMs, instructions: actionFormat !== 'plain', maxRounds });
