// Writes the prompt tokens of a model call, keeping the sampled tokens if the dialogue continues a sampled answer.
import type { PromptWriter } from '@bowyer/serving';
import type { Tokenizer } from '@bowyer/text';
import type { RecordedCall } from '../record/recorded.js';
import type { History, KnownAnswer } from './history.js';
import { continuation } from './splice.js';

/**
 * The way in which a prompt repeats the model's earlier answers after a new message of the user. `template`: as the chat template
 * now writes them, which may omit the reasoning of earlier answers; if only white space differs, the sampled tokens are kept.
 * `sampled`: always with the sampled tokens.
 */
export type SplicePolicy = 'template' | 'sampled';

export interface PromptSource {
  history: History;
  load: (answer: KnownAnswer) => Promise<Pick<RecordedCall, 'promptIds' | 'choices'>>;
  tokenizer: Tokenizer;
  policy: SplicePolicy;
}

export const splicedPrompt =
  ({ history, load, tokenizer, policy }: PromptSource): PromptWriter =>
  async (chat, endIds, write) => {
    const { messages, ending } = chat;
    const found = ending === 'reply' ? history.find(chat) : null;
    if (found === null) return write(messages);
    const { at, answer } = found;
    const following = await continuation(messages, at, endIds, write);
    if (following === null) return write(messages);
    const { promptIds, choices } = await load(answer);
    const { ids, terminated } = choices.find(({ index }) => index === answer.choice)!;
    const before = [...promptIds, ...ids, ...(terminated ? [] : [following.end])];
    const asks = messages.slice(at + 1).some(({ role }) => role === 'user');
    if (policy === 'template' && asks) {
      const whole = await write(messages);
      if (!endsWith(whole, following.ids)) return whole;
      const head = whole.slice(0, whole.length - following.ids.length);
      if (inkOf(tokenizer, head) !== inkOf(tokenizer, before)) return whole;
    }
    return [...before, ...following.ids];
  };

const endsWith = (whole: readonly number[], end: readonly number[]): boolean =>
  whole.length >= end.length && end.every((id, i) => whole[whole.length - end.length + i] === id);

/** Decodes tokens without white space, for a comparison, since templates trim messages and write JSON with other spaces. */
const inkOf = (tokenizer: Tokenizer, ids: readonly number[]): string =>
  Buffer.from(tokenizer.decodeBytes(ids)).toString('utf8').replace(/\s+/g, '');
