// Makes the instructions to the agent and its scripted reply, which precede the first observation: this project's own texts, or
// those of a file with AgentGym's recorded conversations.
import { readFile } from 'node:fs/promises';
import { utf8Text, isRecord } from '@bowyer/core';
import type { ActionFormat, AgentGymFamily } from './families.js';
import { instructionsOf } from './instructions.js';

export interface Opening {
  instructions: string;
  /** The scripted reply of the agent to the instructions, such as "OK". */
  reply: string;
  /** Returns the first observation in the form that the agent reads. */
  start: (observation: string) => string;
}

class TrajectoryFileError extends Error {
  override readonly name = 'TrajectoryFileError';
}

export function ownOpening(
  family: AgentGymFamily,
  format: ActionFormat,
  vocabulary: readonly string[] | null,
): Opening {
  const instructions = instructionsOf(family, format, vocabulary);
  return { instructions, reply: 'Ok.', start: (observation) => observation };
}

const read = new Map<string, Promise<Opening>>();

/**
 * Returns the opening of the first conversation with this environment in a file of AgentGym's dataset, which has objects
 * {item_id, conversations: [{from, value}, …]} as a JSON array or JSON lines. A file is read once. @throws {TrajectoryFileError}
 */
export function recordedOpening(path: string, family: AgentGymFamily): Promise<Opening> {
  const key = `${family} ${path}`;
  const opening = read.get(key) ?? readOpening(path, family);
  read.set(key, opening);
  return opening;
}

async function readOpening(path: string, family: AgentGymFamily): Promise<Opening> {
  const items = parsed(path, utf8Text(await readFile(path), path));
  const texts = items.filter((item) => isOf(item, family)).map(textsOf);
  const found = texts.find((values) => values.length >= 2);
  if (found === undefined) {
    throw new TrajectoryFileError(
      `${path}: none of the ${items.length} items is a conversation of ${family}\n` +
        `  its item_id would begin with '${family}_'; without a dataset the opening is in this project's own words`,
    );
  }
  const [instructions, reply, first] = found;
  return { instructions, reply, start: startOf(family, first ?? '') };
}

/** Converts the server's first observation to the dataset's: an explanation precedes it in maze and replaces it in wordle. */
function startOf(family: AgentGymFamily, first: string): Opening['start'] {
  if (family === 'wordle' && first !== '') return () => first;
  const explanation = family === 'maze' ? first.slice(0, first.lastIndexOf('\n') + 1) : '';
  return (observation) => explanation + observation;
}

function parsed(path: string, text: string): unknown[] {
  try {
    if (text.trimStart().startsWith('[')) return JSON.parse(text) as unknown[];
    return text.split('\n').flatMap((line): unknown[] => (line.trim() === '' ? [] : [JSON.parse(line)]));
  } catch (cause) {
    throw new TrajectoryFileError(`${path}: neither a JSON array nor JSON lines: ${String(cause)}`, { cause });
  }
}

const NAMES: Partial<Record<AgentGymFamily, readonly string[]>> = { sqlgym: ['sqlgym', 'bird'] };

/** Returns whether a conversation is with this environment, by its item_id up to the last underscore (lmrlgym_maze_3). */
function isOf(item: unknown, family: AgentGymFamily): boolean {
  const id = isRecord(item) && typeof item.item_id === 'string' ? item.item_id.toLowerCase() : '';
  const name = id.slice(0, Math.max(0, id.lastIndexOf('_')));
  return (NAMES[family] ?? [family]).some((known) => name === known || name.endsWith(`_${known}`));
}

function textsOf(item: unknown): string[] {
  const messages = isRecord(item) && Array.isArray(item.conversations) ? item.conversations : [];
  return messages.flatMap((message: unknown) =>
    isRecord(message) && typeof message.value === 'string' ? [message.value] : [],
  );
}
