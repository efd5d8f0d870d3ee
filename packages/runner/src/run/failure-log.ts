// Logs failures of the environment or the agent by episode.
import { reasonKey, type PlayContext } from '@bowyer/algorithms';
import type { TaskContext } from '../context/task-context.js';

interface Repeated {
  /** The first line of the error. */
  reason: string;
  /** Whether the episodes count with failed_reward; otherwise training and metrics omit them. */
  counts: boolean;
  /** Further episodes that failed for this reason. */
  episodes: string[];
}

/** The most episodes that a line names. */
const NAMED = 5;

/** Logs the first failure of each reason immediately, and the number of the others when the set of episodes has ended. */
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
