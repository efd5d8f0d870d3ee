// Lines about episodes that their environment or their agent failed; training and figures are of the others.
import { reasonKey, type PlayContext } from '@bowyer/algorithms';
import type { TaskContext } from '../context/task-context.js';

interface Repeated {
  message: string;
  /** After the first. */
  episodes: string[];
}

/** Episodes that a line names. */
const NAMED = 5;

/** Logs the first failure of each reason at once, and how many more there were when its set of episodes has ended. */
export function failureLog(log: TaskContext['log']): Required<Pick<PlayContext, 'onFailure' | 'onSetEnd'>> {
  const reasons = new Map<string, Repeated>();
  return {
    onFailure(error, episode, counts = false) {
      const fate = counts ? 'failed and counts as failed_reward' : 'failed and is left out';
      const key = `${fate}: ${reasonKey(error)}`;
      const known = reasons.get(key);
      if (known) return void known.episodes.push(episode);
      const message = `${fate}: ${error.message}`;
      reasons.set(key, { message, episodes: [] });
      log(`${episode} ${message}`, 'WARNING');
    },
    onSetEnd() {
      for (const { message, episodes } of reasons.values())
        if (episodes.length > 0) log(`${countText(episodes)} ${message}`, 'WARNING');
      reasons.clear();
    },
  };
}

function countText(episodes: readonly string[]): string {
  if (episodes.length === 1) return episodes[0];
  const more = episodes.length > NAMED ? ', …' : '';
  return `${episodes.length} more (${episodes.slice(0, NAMED).join(', ')}${more})`;
}
