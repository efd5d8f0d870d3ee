// Keeps only the longest dialogues of a trace, since each model call of an agent repeats the dialogue so far.
import { createHash } from 'node:crypto';
import type { ChatMessage } from '@bowyer/text';
import type { DataItem } from '../files/data-file.js';
import type { RecordedDialogue } from './format.js';

/**
 * Keeps the dialogues that no other one of their trace continues, and those without a trace. They get the last score of their
 * trace. An answer that was cut off is marked so in the longer dialogues too, since later calls do not report how it ended.
 */
export function wholeDialogues<T extends RecordedDialogue>(items: readonly DataItem<T>[]): DataItem<T>[] {
  const continued = new Set<string>();
  const scores = new Map<string, number>();
  const cut = new Set<string>();
  const keysOf = items.map(({ value: { trace, messages, score } }) => {
    if (trace === undefined) return null;
    if (score !== undefined) scores.set(trace, score);
    const keys = prefixKeys(trace, messages);
    for (const key of keys.slice(0, -1)) continued.add(key);
    messages.forEach((message, at) => message.cut && cut.add(keys[at]));
    return keys;
  });
  const seen = new Set<string>();
  return items.flatMap(({ place, value }, i) => {
    const keys = keysOf[i];
    if (keys === null) return [{ place, value }];
    const end = keys.at(-1)!;
    if (continued.has(end) || seen.has(end)) return [];
    seen.add(end);
    const score = scores.get(value.trace!);
    const messages = value.messages.map((each, at) => (cut.has(keys[at]) ? { ...each, cut: true } : each));
    return [{ place, value: { ...value, messages, ...(score !== undefined && { score }) } }];
  });
}

/** Returns a key for each prefix of a dialogue, including the complete dialogue. */
function prefixKeys(trace: string, messages: readonly ChatMessage[]): string[] {
  const keys: string[] = [];
  let key = trace;
  for (const message of messages) {
    key = createHash('sha256')
      .update(key)
      .update(JSON.stringify(partsOf(message)))
      .digest('base64');
    keys.push(key);
  }
  return keys;
}

/** Contents by which messages are compared: without ids of calls and reasoning, which later requests of an agent may omit. */
function partsOf({ role, content, tool_calls: calls }: ChatMessage): unknown[] {
  const called = Array.isArray(calls) ? (calls as { function: { name: unknown; arguments: unknown } }[]) : [];
  const text = typeof content === 'string' ? content.trim() : (content ?? '');
  return [role, text, called.map(({ function: { name, arguments: args } }) => [name, args])];
}
