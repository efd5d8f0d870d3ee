import { choice, flag, integer, LONGEST_WAIT_MS, option, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const openEnvSchema = options({
  baseUrl: text(null, 'Address of the server, such as http://127.0.0.1:8000, which must be given.'),
  actionFormat: choice(
    ['text', 'json'],
    'text',
    "'text': the agent's text is one field of the action; 'json': the agent writes the action as a JSON object, such as a tool call.",
  ),
  actionField: text(
    null,
    "Field of the action that takes the agent's text; null: the only one, or the only required one.",
  ),
  observationFields: option<readonly string[] | null>({
    description:
      'Fields of the observation that the agent reads, one below the other; null: the usual ones (text, prompt, …), else all.',
    type: ['array', 'null'],
    items: { type: 'string' },
    default: null,
  }),
  reset: option<Readonly<Record<string, unknown>>>({
    description: 'Further arguments of reset beside the seed, such as {split: train, index: 3}.',
    type: 'object',
    additionalProperties: true,
    default: {},
  }),
  requireSeed: flag(
    true,
    'Try once whether two resets with one seed begin the same episode, and refuse a server where they do not.',
  ),
  successReward: option<number>({
    description: 'Reward of the last step with which an episode counts as a success.',
    type: 'number',
    default: 1,
  }),
  maxTurns: integer(50, 'Turns after which the episode is truncated.'),
  timeoutMs: integer(
    60_000,
    'Longest wait for a reply of the server, in milliseconds; after it the connection is closed.',
    {
      maximum: LONGEST_WAIT_MS,
    },
  ),
  connectMs: integer(
    60_000,
    'Time for which connecting to a server that is full or absent is repeated, in milliseconds.',
    { minimum: 0 },
  ),
});

export type OpenEnvOptions = OptionsOf<typeof openEnvSchema>;
