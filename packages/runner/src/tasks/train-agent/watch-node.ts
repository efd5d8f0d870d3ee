// Defines the config node `watch`, which monitors the training of a user's agent and decides whether the best or the initial
// agent is returned.
import { group, integer, optional } from '@bowyer/core';

export const watchNode = group(
  {
    rollbacks: integer(
      2,
      'how often the run may return to its best agent, with half the learning rate, after an evaluation that is significantly worse (99 %); the next such ' +
        'evaluation ends the run',
      { minimum: 0 },
    ),
    signal_patience: optional(
      integer,
      'the run ends where, over this number of last iterations, all rollouts of a group have the same return in nine of ten groups; null: all iterations are played',
      { default: 5 },
    ),
  },
  'what happens to a training that makes the agent worse, or that has nothing to learn from',
);
