// Defines the config keys of task=evaluate_agent, which evaluates a user's agent.
import { Type, type TObject } from '@sinclair/typebox';
import { choice, integer, nonNegative, optional, texts, type OptionsOf } from '@bowyer/core';

export const evaluationOptions = {
  samples: integer(4, 'rollouts of each task'),
  decoding: choice(
    ['sample', 'greedy'],
    'sample',
    'how answers are chosen: sampled as the agent’s requests say, or the likeliest token each time',
    { flat: 'eval_decoding' },
  ),
  success_reward: Type.Number({ default: 1, description: 'smallest reward of a success, for pass@k and pass^k' }),
  compare_with: texts([], 'further models with which the agent plays the same tasks, such as the one before training'),
  models: texts(
    [],
    'all models in one list, in place of task.model and task.compare_with; an endpoint of OpenAI’s or Anthropic’s protocols is a model too: https://HOST/v1#NAME',
  ),
  endpoint_keys: optional(
    () => Type.Record(Type.String(), Type.String()),
    'environment variables with the keys of endpoints, by host, such as {api.openai.com: OPENAI_API_KEY}; null: no key is sent',
  ),
  prices: optional(
    () =>
      Type.Record(
        Type.String(),
        Type.Object(
          { input: Type.Number({ minimum: 0 }), output: Type.Number({ minimum: 0 }) },
          { additionalProperties: false },
        ),
      ),
    'prices per million tokens by name of the model, for an endpoint https://HOST/v1#NAME by NAME: {NAME: {input: 2, output: 8}}; null: the table of results has no prices',
  ),
  fail_below: optional(
    () => Type.Number(),
    'the run fails (exit code 1) where the mean reward with task.model is below this number; null: it never does',
  ),
  fail_drop: optional(
    nonNegative,
    'the run fails where the mean reward with task.model is lower by more than this number than with a model of task.compare_with, on the same tasks; null: it never does',
  ),
};

export type EvaluationOptions = OptionsOf<TObject<typeof evaluationOptions>>;
