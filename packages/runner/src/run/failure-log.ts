// Logs episodes that failed because of an error of the environment or of the agent; errors with the same reason are logged
// together.
import { reasonKey, type PlayContext } from '@bowyer/algorithms';
import type { TaskContext } from '../context/task-context.js';

interface Repeated {
  /** The first line of the error. */
  reason: string;
  /** Whether failed episodes count with the reward `failed_reward`; otherwise training and metrics leave them out. */
  counts: boolean;
  /** The further episodes that failed for the same reason. */
  episodes: string[];
}

/** The largest number of episodes that a line names. */
const NAMED = 5;

/**
 * Returns functions that log the first failure of each reason immediately, and the number of further ones when the set of
 * episodes has ended.
 */
export function failureLog(log: TaskContext['log']): Required<Pick<PlayContext, 'onFailure' | 'onSetEnd'>> {
  const reasons = new Map<string, Repeated>();
  return {
    onFailure(error, episode, counts = false) {
      const key = `${counts}: ${reasonKey(error)}`;
      const known = reasons.get(key);
      if (known) return void known.episodes.push(episode);
      reasons.set(key, { reason: error.message.split('\n')[0], counts, episodes: [] });
      log(
        `${episode} failed and ${counts ? 'counts as task.failed_reward' : 'is left out'}: ${error.message}`,
        'WARNING',
      );
    },
    onSetEnd() {
      for (const { reason, counts, episodes } of reasons.values())
        if (episodes.length > 0)
          log(
            `${countText(episodes)} failed and ${counts ? 'count as task.failed_reward' : 'are left out'}: ${reason}`,
            'WARNING',
          );
      reasons.clear();
    },
  };
}

function countText(episodes: readonly string[]): string {
  const more = episodes.length > NAMED ? ', …' : '';
  return `${episodes.length} more (${episodes.slice(0, NAMED).join(', ')}${more})`;
}
