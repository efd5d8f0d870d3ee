// Reads recorded games of Twenty Questions in the format of ArCHer's twenty_questions.json, and converts them to episodes.
import { kindOf, readGames, type GameFault } from '../guessing-game/game-file.js';
import type { DialogueFile, DialogueTurns } from '../guessing-game/dialogue-set.js';
import { historyHeader } from '../guessing-game/history.js';
import type { Answer } from './rules.js';

/** A recorded game. Each of `lines` is "question? Yes."; `word` contains the variants of the object's name. */
export interface Dialogue {
  lines: string[];
  correct: boolean;
  word: string[];
}

/** Reads a file of recorded games, from ArCHer or `twentyQuestionsDemonstrations`. @throws for the first fault, with its place */
export const readDialogues = (file: string): Promise<DialogueFile<Dialogue>> =>
  readGames(file, {
    expected: '{ "lines": ["question? Yes.", …], "correct": true, "word": ["name", …] }',
    keys: ['lines', 'correct', 'word'],
    gameOf: dialogueOf,
  });

function dialogueOf(entry: Readonly<Record<string, unknown>>, fail: GameFault): Dialogue {
  const { lines, correct, word } = entry;
  if (!Array.isArray(lines) || lines.length === 0) throw fail('lines', `is ${kindOf(lines)}, not an array with lines`);
  lines.forEach((line, i) => {
    if (typeof line !== 'string') throw fail(`lines[${i}]`, `is ${kindOf(line)}, not a string`);
    if (splitLine(line) === null)
      throw fail(`lines[${i}]`, `'${line}' does not end in ' Yes.', ' No.' or ' Invalid Question.'`);
  });
  if (typeof correct !== 'boolean') throw fail('correct', `is ${kindOf(correct)}, not true or false`);
  if (!Array.isArray(word) || word.length === 0 || !word.every((name) => typeof name === 'string')) {
    throw fail('word', `is ${kindOf(word)}, not an array with the object’s names`);
  }
  return { lines: lines as string[], correct, word: word as string[] };
}

/** Splits a line such as "is it a dog? Yes." into question and answer; returns null if it does not end with an answer. */
export function splitLine(line: string): { question: string; answer: Answer } | null {
  const match = /^([^]*?) (Yes\.|No\.|Invalid Question\.)$/.exec(line.trimEnd());
  return match ? { question: match[1], answer: match[2] as Answer } : null;
}

interface DialogueEpisode extends DialogueTurns {
  word: string;
}

/**
 * Converts a recorded game to an episode whose observations contain the whole history: the last observation is `header + Σ
 * (action + reply)`. An action is a question without a newline; a reply is " Yes.\n".
 */
export function dialogueEpisode({ lines, correct, word }: Dialogue): DialogueEpisode {
  const turns = lines.map((line, i) => {
    const split = splitLine(line);
    if (split === null) throw new Error(`dialogueEpisode: line ${i} '${line}' has no answer`);
    const isWin = correct && i === lines.length - 1;
    return {
      action: split.question.replace(/\s*\n\s*/g, ' ').trim(),
      reply: ` ${split.answer}\n`,
      reward: isWin ? 0 : -1,
    };
  });
  return { header: historyHeader, turns, word: word[0], won: correct };
}
