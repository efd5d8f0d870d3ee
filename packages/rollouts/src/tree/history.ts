// Finds the model's earlier answers in a dialogue, so that the next prompt can repeat their tokens. Only the positions of the
// answers are kept; the tokens are read from the rollout's log of recorded calls.
import type { Dialogue } from '@bowyer/serving';
import type { ChatMessage, ChatTemplate } from '@bowyer/text';
import type { RecordedCall } from '../record/recorded.js';
import type { Place } from '../record/log-parts.js';
import { answeredKey, callIds, dialogueKeys, nextKey, reasoningOf, rootKey } from './dialogue-keys.js';

/** A recorded answer of the model that a later dialogue contains. */
export interface KnownAnswer {
  /** The position of the answer's call in the log; `choice` is the index of the answer in that call. */
  place: Place;
  choice: number;
}

interface Entry extends KnownAnswer {
  reasoning: string;
  callIds: readonly string[];
}

export class History {
  readonly #entries = new Map<string, Entry[]>();

  /** Registers the answers of a call. @param keys of the dialogues that end with the answers, from `answerKeys` */
  add(keys: readonly string[], { choices }: Pick<RecordedCall, 'choices'>, place: Place): void {
    for (const [i, key] of keys.entries()) {
      const { index, message } = choices[i];
      if (message.shortened) continue; // the client does not have all sampled tokens, so that the template must write the answer
      const reasoning = message.reasoning?.trim() ?? '';
      const entry = { place, choice: index, reasoning, callIds: message.calls.map(({ id }) => id) };
      this.#entries.set(key, [...(this.#entries.get(key) ?? []), entry]);
    }
  }

  /** Returns the last message of the dialogue that is a recorded answer of the model, and that answer; null if there is none. */
  find({ messages: sent, inputs, template }: Dialogue): { at: number; answer: KnownAnswer } | null {
    const messages = asRead(template, sent);
    let key = rootKey(template, inputs);
    let found: { at: number; answer: KnownAnswer } | null = null;
    for (const [at, message] of messages.entries()) {
      key = nextKey(key, messages, at);
      const entries = message.role === 'assistant' ? (this.#entries.get(key) ?? []) : [];
      if (entries.length === 0) continue;
      const answer = bestOf(entries, message);
      // The client has edited the answer's reasoning, so that from this message on the dialogue differs from the recorded one.
      if (answer === null) return found;
      found = { at, answer };
    }
    return found;
  }
}

/** Returns, for each answer of a call, the key of the dialogue that ends with this answer. */
export function answerKeys(
  { messages, inputs, template }: Dialogue,
  { choices }: Pick<RecordedCall, 'choices'>,
): string[] {
  const root = rootKey(template, inputs);
  const key = dialogueKeys(root, asRead(template, messages)).at(-1) ?? root;
  return choices.map(({ message }) => answeredKey(key, message));
}

/** Removes clients' field `name` from the model's messages, unless the template writes it, since sampled ones have none. */
function asRead(template: ChatTemplate, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const isNamed = ({ role, name }: ChatMessage) => role === 'assistant' && name !== undefined;
  if (!messages.some(isNamed) || writesNames(template)) return messages;
  return messages.map((message) => {
    if (!isNamed(message)) return message;
    const { name: _, ...others } = message;
    return others;
  });
}

const namesWritten = new WeakMap<ChatTemplate, boolean>();

/** Returns whether a chat template writes the field `name` of the model's messages. */
function writesNames(template: ChatTemplate): boolean {
  const known = namesWritten.get(template);
  if (known !== undefined) return known;
  const prompt = (answer: ChatMessage) => {
    const asked: ChatMessage = { role: 'user', content: 'a' };
    return template.encodePrompt([asked, answer, asked]).join();
  };
  const written =
    prompt({ role: 'assistant', content: 'b' }) !== prompt({ role: 'assistant', content: 'b', name: 'c' });
  namesWritten.set(template, written);
  return written;
}

/**
 * Returns the newest recorded answer whose tool calls have the same ids as the message's, else the newest one. Reasoning is
 * compared only if the client sends it. It counts as equal even if it is only the end of the recorded reasoning, since
 * openai-node's `.stream()` keeps only the last chunk.
 */
function bestOf(entries: readonly Entry[], message: ChatMessage): Entry | null {
  const sent = reasoningOf(message);
  const same = entries.filter(({ reasoning }) => sent === '' || reasoning === sent);
  const alike = same.length > 0 ? same : entries.filter(({ reasoning }) => reasoning.endsWith(sent));
  const ids = callIds(message).join();
  return alike.findLast(({ callIds: own }) => own.join() === ids) ?? alike.at(-1) ?? null;
}
