// Makes the splits (training, evaluation, test) of the guessing games. All splits have the same secrets, since none can be held
// out of a list as short as ten words.
import { sharedSplits, type SplitPlan } from '../splits.js';

interface SharedSecrets {
  noun: string;
  /** The key under which the `info` of a reset has the secret's name. */
  infoKey: string;
  count: number;
  envIdx: number | null;
  choice: 'uniform' | 'bySeed';
}

/** Returns the plan of the splits. With `choice` `bySeed`, the episodes of an evaluation play the secrets in turn. */
export const sharedSecrets = ({ noun, infoKey, count, envIdx, choice }: SharedSecrets): SplitPlan =>
  sharedSplits({
    noun,
    count: envIdx === null ? count : 1,
    item: (info) => String(info[infoKey]),
    reset: ({ episode }) =>
      envIdx === null && choice === 'bySeed' && episode !== undefined ? { secret: episode % count } : {},
  });

export const secretReset = {
  secret: {
    description:
      "Number of the secret, counted from 0 in the environment's list of secrets; without it the seed chooses the secret.",
    type: 'integer',
    minimum: 0,
  } as { description: string },
};
