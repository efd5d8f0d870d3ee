// Reads an item of a prompt and its answer, as in TRL's datasets. Each of the two is a text, a message or a list of messages.
import { isEmpty } from '@bowyer/core';
import { keepNumbers } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import { LOSS_KEYS } from './loss-keys.js';

type Item = Readonly<Record<string, unknown>>;

/** Returns the messages of one of the two. @param role of the message made of a text @throws {BadItem} */
export function messagesOf(key: string, value: unknown, role: 'user' | 'assistant'): readonly Item[] {
  if (typeof value === 'string') return [{ role, content: value }];
  const list = asRecord(value) === null ? value : [value];
  if (Array.isArray(list) && list.length > 0 && list.every((message) => asRecord(message) !== null))
    return list as Item[];
  throw new BadItem(`'${key}' is ${found(value)}, neither a text nor messages`);
}

/** Throws BadItem. */
export function promptOf(value: unknown): readonly Item[] {
  const prompt = messagesOf('prompt', value, 'user');
  if (isReply(prompt[prompt.length - 1]))
    throw new BadItem("'prompt' ends with a message of the assistant; a reply that continues another one is not read");
  return prompt;
}

export const isReply = ({ role, from }: Item): boolean =>
  role === 'assistant' || from === 'assistant' || from === 'gpt';

/** Sets the loss weight of a reply in the prompt to 0, since the replies in the prompt are context and not trained on. */
export function unlearned(message: Item): Item {
  if (!isReply(message)) return message;
  const kept = Object.entries(message).filter(([key]) => !(LOSS_KEYS as readonly string[]).includes(key));
  return keepNumbers(message, { ...Object.fromEntries(kept), weight: 0 });
}

/**
 * Returns whether an item has a prompt and a completion, at least one of which consists of messages; two texts are not a
 * dialogue.
 */
export const isPrompted = ({ prompt, completion }: Item): boolean =>
  !isEmpty(completion) && [prompt, completion].some((value) => typeof value === 'object' && value !== null);

/** Returns the item as one of messages, of which only the completion's are trained on. @throws {BadItem} */
export function withoutPrompt({ prompt, completion, ...item }: Item): Item {
  const twice = ['messages', 'conversations'].find((key) => !isEmpty(item[key]));
  if (twice !== undefined)
    throw new BadItem(`has both '${twice}' and 'completion'; leave out the one that is not to be trained on`);
  const answer = messagesOf('completion', completion, 'assistant');
  if (!answer.some(isReply)) throw new BadItem("'completion' has no message of the assistant");
  const asked = isEmpty(prompt) ? [] : promptOf(prompt);
  return { ...item, messages: [...asked.map(unlearned), ...answer] };
}
