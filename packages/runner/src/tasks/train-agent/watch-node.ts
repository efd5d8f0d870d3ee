// Config keys of the monitoring of an agent's training, whose best agent is returned.
import { group, integer, optional } from '@bowyer/core';

export const watchNode = group(
  {
    rollbacks: integer(
      2,
      'returns to the best agent, with half the step, after evaluations that are significantly worse (99 %) than its own; the next such ' +
        'evaluation ends the run',
      { minimum: 0 },
    ),
    signal_patience: optional(
      integer,
      'iterations in which nine of ten groups have equal returns, after which the run ends; null: all iterations are played',
      { default: 5 },
    ),
  },
  'what happens to a training that makes the agent worse, or that has nothing to learn from',
);
