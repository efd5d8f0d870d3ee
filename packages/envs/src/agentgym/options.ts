import { choice, flag, integer, LONGEST_WAIT_MS, text } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const agentGymProperties = {
  baseUrl: text(
    null,
    "Address of AgentGym's server, such as http://127.0.0.1:36001; /maze and /wordle are added where needed; null: none, and nothing can be played on a server.",
  ),
  actionFormat: choice(
    ['react', 'function_calling', 'code_as_action', 'plain'],
    'react',
    "How an action is written: 'react' (AgentGym's default), 'function_calling', 'code_as_action' (both for webshop, alfworld and sciworld), 'plain' (the utterance is the action).",
  ),
  instructions: flag(true, 'Begin the first observation with the instructions of the game.'),
  dataset: text(
    null,
    "File of AgentGym trajectories whose first messages are the instructions; null: this project's own words.",
  ),
  firstItem: integer(0, 'Number of the first problem that may be drawn.', { minimum: 0 }),
  items: integer(
    null,
    "Number of problems that may be drawn, beginning with the first one; null: as many as AgentGym's training set has.",
  ),
  testItems: text(
    null,
    "AgentGym's list of problems (JSON with item_id): the test plays these problems, and training and evaluation the others; null: the test plays a fifth of all.",
  ),
  maxRounds: integer(
    null,
    "Replies after which the episode is truncated; null: AgentGym's own number for this environment.",
  ),
  timeoutMs: integer(300_000, 'Longest wait for the whole answer of the server, in milliseconds.', {
    maximum: LONGEST_WAIT_MS,
  }),
  connections: integer(64, 'Largest number of open connections to the server, of all environments together.'),
  upstreamEndCut: flag(
    false,
    "Cut five characters for a trailing '</s>', as AgentGym does; the action loses its last character too.",
  ),
} as const;

export const agentGymSchema = options(agentGymProperties);

export type AgentGymOptions = OptionsOf<typeof agentGymSchema>;
