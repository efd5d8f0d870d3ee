import { episodicReturn, mean, type DemonstrationSet, type DemonstrationTurn } from '@bowyer/core';

/** One recorded game as the turns of an episode, in the text that a policy reads. */
export interface DialogueTurns {
  header: string;
  turns: (DemonstrationTurn & { reward: number })[];
  won: boolean;
}

/** The games of a file, and those keys of the file that the program does not use. */
export interface DialogueFile<T> {
  dialogues: T[];
  leftOut: string[];
}

/**
 * Makes a set of demonstrations from recorded games. @param dialogues in the format of ArCHer's data files, in which the set is
 * stored @param episodes the same games as episodes, in the same order
 */
export function dialogueSet(
  dialogues: readonly unknown[],
  episodes: readonly DialogueTurns[],
  leftOut: readonly string[] = [],
): DemonstrationSet {
  const meanReturn = mean(episodes.map(({ turns }) => episodicReturn({ transitions: turns })));
  const won = mean(episodes.map((episode) => Number(episode.won)));
  return {
    demonstrations: episodes.map(({ header, turns }) => ({ opening: header, turns })),
    summary: `${dialogues.length} dialogues, mean return ${meanReturn.toFixed(2)}, won ${won.toFixed(3)}${leftOut.length > 0 ? `; left unread: ${leftOut.join(', ')}` : ''}`,
    file: { name: 'demonstrations.json', text: () => `${JSON.stringify(dialogues, null, 1)}\n` },
  };
}
