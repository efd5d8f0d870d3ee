import { textDialogues } from './rollout/text-dialogue.js';
import type { RunHooks } from './types.js';
import type { TrainingRun } from './unit.js';

/** What a run without files needs: a policy, and what its algorithm needs. Hooks that are not given do nothing. */
export type TrainingRunParts = Pick<TrainingRun, 'policy'> &
  Partial<Omit<TrainingRun, 'policy' | 'hooks'>> & { hooks?: Partial<RunHooks> };

/** A run from its beginning, for use as a library: nothing is saved unless the hooks do so. */
export function trainingRun({ policy, hooks, ...parts }: TrainingRunParts): TrainingRun {
  return {
    policy,
    critic: null,
    valueModel: null,
    dialogues: textDialogues(policy.tokenizer),
    makeEnv: null,
    dataset: null,
    history: [],
    state: {},
    firstIteration: 0,
    // A run from its beginning: its start is the policy as it is now. One that resumes from a checkpoint must give its own.
    openReference: (options) => policy.freeze(options),
    openTeacher: (place) =>
      Promise.reject(new Error(`no model can be opened from ${place}: give the run an openTeacher`)),
    restoreStart: () =>
      Promise.reject(new Error('restoreStart: this run does not know the weights of its start; give it')),
    ...parts,
    hooks: {
      progress: () => {},
      log: () => Promise.resolve(),
      keepBest: () => Promise.resolve(),
      checkpoint: () => Promise.resolve(),
      checkpointDue: false,
      stopRequested: false,
      ...hooks,
    },
  };
}
