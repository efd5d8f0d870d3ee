import type { PlayContext } from '@bowyer/algorithms';
import type { TaskContext } from '../context/task-context.js';

/** Makes the hooks for playing a set of episodes, which is interrupted when the context's signal is aborted. */
export const playHooks = (
  { signal }: Pick<TaskContext, 'signal'>,
  progress: PlayContext['hooks']['progress'],
): PlayContext['hooks'] => ({
  progress,
  get interrupted() {
    return signal?.aborted ?? false;
  },
});
