// The options of every client of AgentGym's servers, and their schema.
import { LONGEST_WAIT_MS } from '@bowyer/core';
import { AgentGymEnv, type AgentGymOptions } from './agentgym-env.js';
import type { AgentGymFamily } from './families.js';

export const agentGymProperties = {
  baseUrl: {
    description:
      "Address of AgentGym's server, such as http://127.0.0.1:36001; /maze and /wordle are added where needed.",
    type: ['string', 'null'],
    default: null,
  },
  actionFormat: {
    description:
      "How an action is written: 'react' (AgentGym's default), 'function_calling', 'code_as_action' (both for webshop, alfworld and sciworld), 'plain' (the utterance is the action).",
    type: 'string',
    enum: ['react', 'function_calling', 'code_as_action', 'plain'],
    default: 'react',
  },
  instructions: {
    description: 'Begin the first observation with the instructions.',
    type: 'boolean',
    default: true,
  },
  dataset: {
    description:
      "File of AgentGym trajectories whose first messages are the instructions; null: this project's own words.",
    type: ['string', 'null'],
    default: null,
  },
  firstItem: { description: 'Number of the first problem that may be drawn.', type: 'integer', minimum: 0, default: 0 },
  items: {
    description:
      "Number of problems that may be drawn, from firstItem on; null: as many as AgentGym's training set has.",
    type: ['integer', 'null'],
    minimum: 1,
    default: null,
  },
  testItems: {
    description:
      "AgentGym's list of problems (JSON with item_id): the test plays these, training and evaluation the others; null: a fifth of all.",
    type: ['string', 'null'],
    default: null,
  },
  maxRounds: {
    description: "Replies after which the episode is truncated; null: AgentGym's own number for this environment.",
    type: ['integer', 'null'],
    minimum: 1,
    default: null,
  },
  timeoutMs: {
    description: 'Longest wait for a whole answer, in milliseconds.',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_WAIT_MS,
    default: 300_000,
  },
  connections: {
    description: 'Connections to the server at the same time, of all environments together.',
    type: 'integer',
    minimum: 1,
    default: 64,
  },
  upstreamEndCut: {
    description:
      "Cut five characters for a trailing '</s>', as AgentGym does; the action loses its last character too.",
    type: 'boolean',
    default: false,
  },
} as const;

export const agentGymSchema = {
  type: 'object',
  additionalProperties: false,
  properties: agentGymProperties,
} as const;

const defaults: AgentGymOptions = {
  baseUrl: null,
  actionFormat: 'react',
  instructions: true,
  dataset: null,
  firstItem: 0,
  items: null,
  testItems: null,
  maxRounds: null,
  timeoutMs: 300_000,
  connections: 64,
  upstreamEndCut: false,
};

/** Returns a client of one family's server; options that are left out take the schema's defaults. Connects at the first reset. */
export const agentGymEnv = (family: AgentGymFamily, options: Partial<AgentGymOptions> = {}): AgentGymEnv =>
  new AgentGymEnv(family, { ...defaults, ...options });
