// Reads and checks recorded games in the format of ArCHer's dataset/twenty_questions.json, and converts them to episodes.
import { readFile } from 'node:fs/promises';
import { utf8Text } from '@bowyer/core';
import { unreadKeysOf } from '../guessing-game/dialogue-keys.js';
import type { DialogueFile, DialogueTurns } from '../guessing-game/dialogue-set.js';
import { historyHeader } from '../guessing-game/history.js';
import type { Answer } from './rules.js';

/** One game: `lines` are "question? Yes.", `word` has the variants of the object. */
export interface Dialogue {
  lines: string[];
  correct: boolean;
  word: string[];
}

class DialogueFileError extends Error {
  override readonly name = 'DialogueFileError';

  constructor(
    readonly file: string,
    readonly index: number | null,
    readonly field: string | null,
    problem: string,
  ) {
    const place = [file, index === null ? '' : `[${index}]`, field === null ? '' : `.${field}`].join('');
    super(
      `${place}: ${problem}\n  expected: [{ "lines": ["question? Yes.", …], "correct": true, "word": ["name", …] }, …]`,
    );
  }
}

/** Reads a file of ArCHer or of `twentyQuestionsDemonstrations`. @throws for the first fault, with its place */
export async function readDialogues(file: string): Promise<DialogueFile<Dialogue>> {
  let data: unknown;
  try {
    data = JSON.parse(utf8Text(await readFile(file), file));
  } catch (error) {
    throw new DialogueFileError(file, null, null, `cannot be read as JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(data)) throw new DialogueFileError(file, null, null, `contains ${kindOf(data)}, not an array`);
  const dialogues = data.map((entry, index) => checkDialogue(entry, index, file));
  return { dialogues, leftOut: unreadKeysOf(file, data as object[], ['lines', 'correct', 'word']) };
}

function checkDialogue(entry: unknown, index: number, file: string): Dialogue {
  const fail = (field: string | null, problem: string) => new DialogueFileError(file, index, field, problem);
  if (typeof entry !== 'object' || entry === null) throw fail(null, `is ${kindOf(entry)}, not an object`);
  const { lines, correct, word } = entry as Record<string, unknown>;
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

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Splits a line such as "is it a dog? Yes."; null if it does not end with an answer. */
export function splitLine(line: string): { question: string; answer: Answer } | null {
  const match = /^([^]*?) (Yes\.|No\.|Invalid Question\.)$/.exec(line.trimEnd());
  return match ? { question: match[1], answer: match[2] as Answer } : null;
}

interface DialogueEpisode extends DialogueTurns {
  word: string;
}

/**
 * Converts a dialogue to an episode in the format of the history: `header + Σ (action + reply)` is the last observation. An
 * action is a question on one line without a newline; a reply is " Yes.\n".
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
