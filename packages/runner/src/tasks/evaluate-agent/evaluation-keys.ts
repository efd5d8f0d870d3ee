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
