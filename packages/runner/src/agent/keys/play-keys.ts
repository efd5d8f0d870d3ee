// Defines the options of playing episodes: how they are played, and which model plays them (the policy, a copy of it, or an
// endpoint).
import { actionChoices } from '@bowyer/algorithms';
import {
  changeableOnResume,
  choice,
  count,
  flag,
  fraction,
  group,
  integer,
  nullable,
  optional,
  optionalText,
} from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import { samplingOptions } from './model-keys.js';
import { nodeOf } from './node.js';

export const playNode = nodeOf('how episodes are played');

/**
 * The options of playing episodes, for tasks in which an agent plays. The environment's own options are in the config node `env`.
 */
export const episodeOptions = {
  slots: integer(32, 'episodes that are played at the same time', { flat: 'slots' }),
  max_failure_share: fraction(0.5, 'a run stops when more than this share of the episodes collected together failed', {
    flat: 'max_failure_share',
  }),
  max_turns: optional(
    integer,
    'turns after which every episode is truncated; null: only the environment’s own limit applies',
    { flat: 'max_turns' },
  ),
  action_choice: choice(
    [...actionChoices],
    'free',
    'free: the agent writes any text; scored: it chooses among the valid actions by the log-probability of each as a whole, with its end; likelihood, likelihood_per_character: by that of the text alone, or divided by its characters, as lm-evaluation-harness does; constrained: it chooses among them token by token',
    { flat: 'action_choice' },
  ),
  as_chat: flag(
    false,
    'the agent plays through its chat template: observations are the user’s messages, actions the assistant’s',
    { flat: 'play_as_chat' },
  ),
};

const price = (what: string) => Type.Number({ minimum: 0, description: `price of a million ${what} tokens` });

const timeout = () => count('longest wait for the whole answer to a request, in milliseconds');

/** The config node of a chat endpoint that plays the episodes instead of a local model. */
export const endpointNode = Type.Object(
  {
    base_url: Type.String({ description: 'address up to the version, for instance http://127.0.0.1:8000/v1' }),
    model: Type.String({ description: 'name of the model at the endpoint' }),
    api_key_env: nullable(Type.String(), 'environment variable that contains the API key; null: no key is sent'),
    system: nullable(Type.String(), 'system message at the start; null: none'),
    temperature: Type.Number({ minimum: 0, description: 'sampling temperature, dimensionless; 0: greedy' }),
    top_p: nullable(
      samplingOptions.top_p,
      'the endpoint samples among the most likely tokens that together have this probability; null: the endpoint’s own default',
    ),
    max_tokens: count('longest reply in tokens'),
    concurrency: count('requests at the same time'),
    retries: count('further attempts after a failed request', 0),
    timeout_ms: changeableOnResume(timeout()),
    sends_seed: Type.Boolean({
      description:
        'send a seed with each request, which is derived from the seed of the run; not every server accepts one',
    }),
    price_per_million_prompt_tokens: price('prompt'),
    price_per_million_completion_tokens: price('completion'),
  },
  {
    additionalProperties: false,
    description: 'a chat endpoint that plays in task=evaluate in the place of a local model',
  },
);

/** A server plays the rollouts with a copy of the policy. Without its address, its other keys are not read. */
export const remotePolicyNode = group(
  {
    base_url: optionalText(
      'address, up to the version, of a server that returns token ids, for instance http://127.0.0.1:8000/v1; the server’s policy plays the rollouts. null: the local policy plays them',
      { decides: false },
    ),
    model: optionalText('name of the model at the server; null: none is sent'),
    api_key_env: optionalText('environment variable that contains the API key; null: no key is sent', {
      decides: false,
    }),
    concurrency: integer(64, 'requests at the same time', { decides: false }),
    retries: integer(5, 'further attempts after a failed request', { minimum: 0, decides: false }),
    timeout_ms: integer(300_000, 'longest wait for the whole answer to a request, in milliseconds', { decides: false }),
  },
  'a policy behind a server that plays the rollouts from which the local policy learns (docs/remote-policy.md)',
);

/** Decides whether rollouts are played before each update or during the updates. A synchronous run has only its first key. */
export const rolloutNode = group(
  {
    mode: choice(
      ['synchronous', 'lock_step', 'asynchronous'],
      'synchronous',
      'synchronous: rollouts are played between the updates; lock_step: they are played during the updates, by a copy of the policy that is ' +
        'max_staleness iterations old (deterministic); asynchronous: by a copy with the newest weights, without a pause (faster; no two runs are equal)',
    ),
    max_staleness: integer(
      1,
      'largest number of iterations between the weights that begin an episode and the weights that learn from it',
      { minimum: 0 },
    ),
    threads: integer(0, 'threads of the copy that plays; 0: the value of device.threads', { minimum: 0, maximum: 256 }),
  },
  'when rollouts are played and with which weights (docs/asynchronous.md)',
);

/** The option that decides with which arithmetic a policy in training samples its rollouts. */
export const samplingPrecision = choice(
  ['float32', 'integers'],
  'float32',
  'arithmetic in which rollouts are sampled. float32: that of the policy itself, as in evaluations; integers: its linear layers multiply ' +
    'integers of 8 bits, made of the weights of each iteration, and algorithms that learn off-policy correct for it (docs/models/generation.md)',
  { flat: 'sampling_precision' },
);
