// Reads and checks recorded games in the format of ArCHer's dataset/guess_my_city.json, and converts them to episodes.
import { kindOf, readGames } from '../guessing-game/game-file.js';
import type { DialogueFile, DialogueTurns } from '../guessing-game/dialogue-set.js';
import { historyHeader } from '../guessing-game/history.js';

/** One recorded game. `lines` are "question? answer"; `word` is "city,country" in lower case. */
export interface CityDialogue {
  conversation: string[];
  done: boolean;
  word: string;
}

/** Reads a file of recorded games. @throws an error with the position of the first fault */
export const readCityDialogues = (file: string): Promise<DialogueFile<CityDialogue>> =>
  readGames(file, {
    expected: '{ "conversation": ["question? answer", …], "done": true, "word": "city,country" }',
    keys: ['conversation', 'done', 'word'],
    gameOf: ({ conversation, done, word }, fail) => {
      const isLines = Array.isArray(conversation) && conversation.every((line) => typeof line === 'string');
      if (!isLines || conversation.length === 0)
        throw fail('conversation', `is ${kindOf(conversation)}, not an array of lines`);
      if (typeof done !== 'boolean') throw fail('done', `is ${kindOf(done)}, not true or false`);
      if (typeof word !== 'string') throw fail('word', `is ${kindOf(word)}, not a text`);
      return { conversation, done, word };
    },
  });

/** Converts a game to an episode. The last line of a question is used, without labels, list numbers and quotation marks. */
export function cityDialogueEpisode({ conversation, done }: CityDialogue): DialogueTurns {
  const turns = conversation.map((line, i) => {
    const { question, answer } = splitCityLine(line);
    return { action: question, reply: ` ${answer}\n`, reward: done && i === conversation.length - 1 ? 0 : -1 };
  });
  return { header: historyHeader, turns, won: done };
}

/** Splits a line such as "Is it Lima? Yes." after its first question mark; line breaks in the answer are replaced by spaces. */
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
