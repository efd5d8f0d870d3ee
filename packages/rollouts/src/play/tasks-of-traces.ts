// Converts recorded conversations (traces) to tasks for agents: a task consists of the first messages of a conversation, up to
// the model's first answer, and conversations with equal first messages are one task.
import { createHash } from 'node:crypto';
import { readTextLines } from '@bowyer/core';
import { asRecord, isConversationFile, isTrace, openingOf, readConversations } from '@bowyer/conversations';
import type { AgentTask } from './agent-task.js';

/** Returns whether a file contains traces instead of tasks: lines with an `id` in no known trace format are tasks. */
export async function containsTraces(path: string): Promise<boolean> {
  if (!isConversationFile(path)) return false;
  if (!/\.jsonl?(\.gz)?$/.test(path)) return true;
  for await (const { text } of readTextLines(path)) {
    if (text.trim() === '') continue;
    const item = valueOf(text);
    return isTrace(item) || asRecord(item)?.id === undefined;
  }
  return false;
}

/** Parses a line of the file; returns undefined if the line alone is not JSON, as in a file that is one JSON value. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a file of traces as tasks. @throws {DataFileError} with every item that cannot be read */
export async function tasksOfTraces(path: string): Promise<AgentTask[]> {
  const { items } = await readConversations(path, { preferences: true });
  const tasks = new Map<string, AgentTask>();
  for (const { value } of items) {
    const opening = openingOf(value);
    const id = `task-${createHash('sha256').update(JSON.stringify(opening)).digest('hex').slice(0, 12)}`;
    tasks.set(id, { id, ...opening });
  }
  return [...tasks.values()];
}
