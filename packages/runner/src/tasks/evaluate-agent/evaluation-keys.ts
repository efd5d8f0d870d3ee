// Config keys of task=evaluate_agent.
import { Type, type TObject } from '@sinclair/typebox';
import { count, nullable, oneOf, placed, type OptionsOf } from '@bowyer/core';

export const evaluationKeys = placed(
  'task',
  {
    samples: count('rollouts of each task'),
    eval_decoding: oneOf(
      ['sample', 'greedy'],
      'how answers are chosen: sampled as the agent’s requests say, or the likeliest token each time',
    ),
    success_reward: Type.Number({ description: 'smallest reward of a success, for pass@k and pass^k' }),
    compare_with: Type.Array(Type.String(), {
      description: 'further models with which the agent plays the same tasks, such as the one before training',
    }),
    models: Type.Array(Type.String(), {
      description:
        'all models in one list, in place of `model` and compare_with; an endpoint of OpenAI’s or Anthropic’s protocols is a model too: https://HOST/v1#NAME',
    }),
    endpoint_keys: nullable(
      Type.Record(Type.String(), Type.String()),
      'environment variables with the keys of endpoints, by host, such as {api.openai.com: OPENAI_API_KEY}; null: no key is sent',
    ),
    prices: nullable(
      Type.Record(
        Type.String(),
        Type.Object(
          { input: Type.Number({ minimum: 0 }), output: Type.Number({ minimum: 0 }) },
          { additionalProperties: false },
        ),
      ),
      'prices of a million tokens by model, that of an endpoint by the NAME behind #: {NAME: {input: 2, output: 8}}; null: the table has no prices',
    ),
    fail_below: nullable(
      Type.Number(),
      'the run fails (exit code 1) where the mean reward with `model` is below this number; null: it never does',
    ),
    fail_drop: nullable(
      Type.Number({ minimum: 0 }),
      'the run fails where the mean reward with `model` is lower by more than this number than with a model of compare_with, on the same tasks; null: it never does',
    ),
  },
  { eval_decoding: 'decoding' },
);

/** In camelCase. */
export type EvaluationKeys = OptionsOf<TObject<typeof evaluationKeys>>;
