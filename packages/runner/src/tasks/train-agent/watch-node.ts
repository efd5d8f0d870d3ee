// Config keys of the monitoring of an agent's training, whose best agent is returned.
import { group, integer, optional } from '@bowyer/core';

export const watchNode = group(
  {
    rollbacks: integer(
      2,
      'times that an agent whose evaluation is significantly worse (99 %) than that of the best one goes back to the best one, with half ' +
        'the step; the next time the run ends',
      { minimum: 0 },
    ),
    signal_patience: optional(
      integer,
      'the run ends after so many iterations in which nine of ten groups had no two different returns; null: it goes through all iterations',
      { default: 5 },
    ),
  },
  'what happens to a training that makes the agent worse, or that has nothing to learn from',
);
