// Makes the splits of the guessing games. All splits share all secrets, since a game of ten words can hold none back.
import { sharedSplits, type SplitPlan } from '../splits.js';

interface SharedSecrets {
  noun: string;
  /** The key of the secret's name in `info`. */
  infoKey: string;
  count: number;
  envIdx: number | null;
  choice: 'uniform' | 'bySeed';
}

/** Returns a plan for the splits. With `bySeed`, the episodes of an evaluation cover the secrets in turn. */
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
