import type { PlayContext } from '@bowyer/algorithms';
import type { TaskContext } from '../context/task-context.js';

/** Makes the hooks with which an algorithm's `play` reports its progress and notices that the context's signal was aborted. */
export const playHooks = (
  { signal }: Pick<TaskContext, 'signal'>,
  progress: PlayContext['hooks']['progress'],
): PlayContext['hooks'] => ({
  progress,
  get interrupted() {
    return signal?.aborted ?? false;
  },
});
