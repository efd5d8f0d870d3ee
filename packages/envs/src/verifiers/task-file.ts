// Reads the tasks of the environment `verifiers` from JSON lines with the columns prompt, answer, info and completion.
import { fileURLToPath } from 'node:url';
import { cellOf, LineError, lineId, lineSplit, readTasks, textCell } from '../task-lines.js';
import type { Row } from '../table-file.js';
import { promptText, type VerifiersMessage, type VerifiersTask } from './task.js';

const SAMPLE = fileURLToPath(new URL('../../src/verifiers/sample.jsonl', import.meta.url));

/** Reads the tasks. @throws {TaskFileError} with every line that cannot be used */
export const verifiersTasks = ({ data }: { data: string | null }): readonly VerifiersTask[] =>
  readTasks('verifiers', data ?? SAMPLE, taskOf);

function taskOf(row: Row): VerifiersTask {
  const { cells } = row;
  const prompt = promptOf(row);
  return {
    id: lineId(row, ['id', 'example_id'], promptText(prompt)),
    split: lineSplit(row),
    prompt,
    answer: answerOf(cells.answer),
    info: infoOf(cells.info),
    completion: cells.completion === undefined || cells.completion === null ? [] : turnsOf(cells.completion),
    kind: textCell(row, 'task'),
    row: cells,
  };
}

function promptOf(row: Row): VerifiersMessage[] {
  const given = cellOf(row, ['prompt', 'question']);
  if (given === undefined) throw new LineError(`no prompt; its columns are ${Object.keys(row.cells).join(', ')}`);
  const messages = messagesOf(given, 'user', 'prompt');
  if (messages.at(-1)!.role === 'assistant')
    throw new LineError('the last message of prompt must not be of the assistant');
  return messages;
}

/** Returns the agent's replies to imitate, from a text or messages; the environment itself writes the user's. */
function turnsOf(completion: unknown): string[] {
  const replies = messagesOf(completion, 'assistant', 'completion').filter(({ role }) => role === 'assistant');
  if (replies.some(({ content }) => content === '')) throw new LineError('completion has a reply without text');
  if (replies.length === 0) throw new LineError('completion has no message of the assistant');
  return replies.map(({ content }) => content);
}

function messagesOf(value: unknown, role: VerifiersMessage['role'], column: string): VerifiersMessage[] {
  if (typeof value === 'string') return [{ role, content: value }];
  if (!Array.isArray(value) || value.length === 0)
    throw new LineError(`${column} must be a text or a list of messages with role and content`);
  return value.map((message: unknown, i) => messageOf(message, `${column}[${i}]`));
}

function messageOf(value: unknown, place: string): VerifiersMessage {
  const { role, content, ...others } = ((typeof value === 'object' ? value : null) as Record<string, unknown>) ?? {};
  if (role !== 'system' && role !== 'user' && role !== 'assistant')
    throw new LineError(`${place}: role must be system, user or assistant; it is ${JSON.stringify(role) ?? 'missing'}`);
  const other = Object.entries(others).find(([, held]) => held !== null && held !== undefined);
  if (other !== undefined) throw new LineError(`${place}: ${other[0]} is not read here; texts alone are`);
  return { role, content: contentOf(content, place) };
}

/** Returns the content of a message: a text, or the joined elements of type text. */
function contentOf(content: unknown, place: string): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  if (parts.length > 0 && parts.every((part) => part?.type === 'text' && typeof part.text === 'string'))
    return parts.map(({ text }) => text as string).join('');
  throw new LineError(`${place}: content must be a text or parts of type text`);
}

function answerOf(answer: unknown): string | null {
  if (answer === undefined || answer === null) return null;
  if (typeof answer === 'string') return answer;
  return typeof answer === 'number' || typeof answer === 'boolean' ? String(answer) : JSON.stringify(answer);
}

/** Parses the column `info`. An object is often stored as JSON text, since a column of a data set has one type. */
function infoOf(info: unknown): unknown {
  if (typeof info !== 'string') return info ?? null;
  if (!/^\s*[[{]/.test(info)) return info;
  try {
    return JSON.parse(info) as unknown;
  } catch (error) {
    throw new LineError(`info is a text that begins as JSON and is none: ${(error as Error).message}`);
  }
}
