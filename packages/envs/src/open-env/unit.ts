// The environment `openenv`: a client for any server of OpenEnv's protocol.
import { LONGEST_WAIT_MS } from '@bowyer/core';
import { missingAddress } from '../agentgym/backend.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { OpenEnvEnv, type OpenEnvOptions } from './open-env-env.js';

const properties = {
  baseUrl: {
    description: 'Address of the server, such as http://127.0.0.1:8000.',
    type: ['string', 'null'],
    default: null,
  },
  actionFormat: {
    description:
      "'text': the agent's text is one field of the action; 'json': the agent writes the action as a JSON object, such as a tool call.",
    type: 'string',
    enum: ['text', 'json'],
    default: 'text',
  },
  actionField: {
    description: "Field of the action that takes the agent's text; null: the only one, or the only required one.",
    type: ['string', 'null'],
    default: null,
  },
  observationFields: {
    description: 'Fields of the observation that the agent reads, one below the other; null: text, prompt, … or all.',
    type: ['array', 'null'],
    items: { type: 'string' },
    default: null,
  },
  reset: {
    description: 'Further arguments of reset beside the seed, such as {split: train, index: 3}.',
    type: 'object',
    additionalProperties: true,
    default: {},
  },
  requireSeed: {
    description: 'Try once whether the server obeys seeds, and refuse one that does not.',
    type: 'boolean',
    default: true,
  },
  successReward: { description: 'Reward of the last step of an episode that was won.', type: 'number', default: 1 },
  maxTurns: { description: 'Turns after which the episode is truncated.', type: 'integer', minimum: 1, default: 50 },
  timeoutMs: {
    description: 'Longest wait for a reply, in milliseconds; the connection is given up after it.',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_WAIT_MS,
    default: 60_000,
  },
  connectMs: {
    description: 'How long to keep trying to connect to a server that is full or absent, in milliseconds.',
    type: 'integer',
    minimum: 0,
    default: 60_000,
  },
} as const;

export const openEnvUnit = defineEnvironment<OpenEnvOptions>({
  name: 'openenv',
  description: 'Any environment on a server of the OpenEnv protocol.',
  schema: { type: 'object', additionalProperties: false, properties },
  resetSchema: resetSchemaWith(),
  make: (options) => new OpenEnvEnv(options),
  splits: 'seeds',
  sampleActions: ['look', '{"message": "look"}', ''],
  config: {
    readWith: { actionField: { actionFormat: ['text'] } },
    problems: (options) => missingAddress('openenv', options),
  },
  // Episodes return 1, or a share of it.
  critic: { typicalReturn: () => 0.3 },
});
