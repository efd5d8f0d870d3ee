// Reads recorded games in the format of ArCHer's dataset/guess_my_city.json, checks them, and converts them to training
// episodes.
import { readFile } from 'node:fs/promises';
import { utf8Text } from '@bowyer/core';
import { unreadKeysOf } from '../guessing-game/dialogue-keys.js';
import type { DialogueFile, DialogueTurns } from '../guessing-game/dialogue-set.js';
import { historyHeader } from '../guessing-game/history.js';

/** One game. `lines` are "question? answer"; `word` is "city,country" in lower case. */
export interface CityDialogue {
  conversation: string[];
  done: boolean;
  word: string;
}

class CityDialogueFileError extends Error {
  override readonly name = 'CityDialogueFileError';

  constructor(file: string, index: number | null, problem: string) {
    super(
      `${file}${index === null ? '' : `[${index}]`}: ${problem}\n` +
        '  expected: [{ "conversation": ["question? answer", …], "done": true, "word": "city,country" }, …]',
    );
  }
}

/** Reads a file of games. @throws {CityDialogueFileError | DialogueKeyError} */
export async function readCityDialogues(file: string): Promise<DialogueFile<CityDialogue>> {
  let data: unknown;
  try {
    data = JSON.parse(utf8Text(await readFile(file), file));
  } catch (error) {
    throw new CityDialogueFileError(file, null, `cannot be read as JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw new CityDialogueFileError(file, null, 'is not an array');
  const dialogues = data.map((entry: unknown, index) => {
    const { conversation, done, word } = (entry ?? {}) as Record<string, unknown>;
    if (
      !Array.isArray(conversation) ||
      conversation.length === 0 ||
      !conversation.every((line) => typeof line === 'string')
    ) {
      throw new CityDialogueFileError(file, index, 'conversation is not an array of lines');
    }
    if (typeof done !== 'boolean') throw new CityDialogueFileError(file, index, 'done is not true or false');
    if (typeof word !== 'string') throw new CityDialogueFileError(file, index, 'word is not a text');
    return { conversation: conversation as string[], done, word };
  });
  return { dialogues, leftOut: unreadKeysOf(file, data as object[], ['conversation', 'done', 'word']) };
}

/**
 * Converts a dialogue to an episode in the format of the history. The last line of a question counts ("Based on …:" may precede
 * it), without labels, list numbers and quotation marks.
 */
export function cityDialogueEpisode({ conversation, done }: CityDialogue): DialogueTurns {
  const turns = conversation.map((line, i) => {
    const { question, answer } = splitCityLine(line);
    return { action: question, reply: ` ${answer}\n`, reward: done && i === conversation.length - 1 ? 0 : -1 };
  });
  return { header: historyHeader, turns, won: done };
}

/** Splits a line such as "Is it Lima? Yes." after its first question mark; the answer is joined to one line. */
export function splitCityLine(line: string): { question: string; answer: string } {
  const end = line.indexOf('?') + 1;
  const asked = end === 0 ? line : line.slice(0, end);
  const question = asked
    .slice(asked.lastIndexOf('\n') + 1)
    .trim()
    .replace(/^(?:question|next question)\s*\d*\s*[:.]\s*/i, '')
    .replace(/^\d+[.)]\s*/, '')
    .replace(/^["'“]+/, '');
  const answer =
    end === 0
      ? ''
      : line
          .slice(end)
          .replace(/^["'”]+/, '')
          .replace(/\s+/g, ' ')
          .trim();
  return { question, answer };
}
