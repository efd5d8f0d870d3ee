// The dialogues for training the model: each program's task after texts that stand for the program's prompts. The model's layers
// see 128 tokens each, so that its answer depends only on the end of a prompt, however long the prompt is.
import type { Rng } from '@bowyer/core';
import type { Dialogue } from '../../clients/model/trained-model.js';
import { note, reply, tasks, type Task } from '../task.js';

type Message = Readonly<Record<string, unknown>>;

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });

/** The longest passage, in characters: more than a window. */
const LONGEST_PASSAGE = 700;

/**
 * Makes dialogues to train on.
 *
 * @param book the texts that passages are taken from
 */
export function dialoguesOf(book: string, variants: number, rng: Rng): Dialogue[] {
  const passage = () => {
    const from = rng.integer(0, book.length - LONGEST_PASSAGE);
    return book.slice(from, from + rng.integer(0, LONGEST_PASSAGE));
  };
  const written = (task: Task) => askings(task).map((asked) => taskDone(asked, task, { passage, rng }));
  return Array.from({ length: variants }, () => [
    ...Object.values(tasks).flatMap(written),
    titled(passage, rng),
  ]).flat();
}

/** Lists the prompt in the forms of the programs: alone, in quotation marks, and after the program's own text. */
const askings = ({ prompt }: Task): string[] => [prompt, `"${prompt}"`, `</system-reminder>\n\n\n${prompt}`];

function taskDone(asked: string, { tool, args }: Task, { passage, rng }: Chance): Dialogue {
  const call = { type: 'function', function: { name: tool, arguments: args } };
  const messages = [
    { role: 'system', content: passage() },
    ...(rng.integer(0, 1) === 0 ? [user(passage())] : []),
    user(asked),
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: resultOf(tool, rng) },
    says(reply),
  ];
  return { messages };
}

interface Chance {
  passage: () => string;
  rng: Rng;
}

/** Writes a tool's result. Codex writes a few lines above a command's output, and some programs omit the last line break. */
function resultOf(tool: string, rng: Rng): string {
  if (tool !== 'exec_command') return rng.integer(0, 1) === 0 ? note : note.trimEnd();
  const id = rng.integer(0, 0xffffff).toString(16).padStart(6, '0');
  const seconds = (rng.integer(0, 20_000) / 10_000).toFixed(4);
  const head = `Chunk ID: ${id}\nWall time: ${seconds} seconds\nProcess exited with code 0\nOriginal token count: 6\nOutput:\n`;
  return head + note;
}

/** Makes the dialogue in which Opencode requests a title. */
function titled(passage: () => string, rng: Rng): Dialogue {
  const asked = Object.values(tasks)[rng.integer(0, 2)].prompt;
  const messages = [
    { role: 'system', content: passage() },
    user('Generate a title for this conversation:\n'),
    user(`"${asked}"`),
    says('A copy of the note'),
  ];
  return { messages };
}
