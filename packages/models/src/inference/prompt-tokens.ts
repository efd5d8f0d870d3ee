// Converts prompts and continuations, given as texts or as ids, to the tokens that a model reads.
import type { Tokenizer } from '@bowyer/text';

/** A prompt as text or as token ids; if both fields are given, the ids are used. */
export interface PromptItem {
  prompt?: string;
  promptIds?: readonly number[];
}

/** A prompt with a continuation, each as text or as token ids; if both forms are given, the ids are used. */
export interface ContinuationItem extends PromptItem {
  continuation?: string;
  continuationIds?: readonly number[];
}

/** Thrown for an item of the input (a prompt, or a prompt with a continuation) that cannot be processed. */
export class ItemError extends RangeError {
  override readonly name = 'ItemError';

  /** @param index the index of the item in the input, counted from 0 */
  constructor(
    readonly index: number,
    readonly problem: string,
  ) {
    super(`item ${index} ${problem}`);
  }
}

/** Returns the prompt's tokens with the special tokens that the tokenizer puts before a text, such as `<s>`. */
export function promptTokens(tokenizer: Tokenizer, { prompt, promptIds }: PromptItem, index: number): number[] {
  if (promptIds === undefined && prompt === undefined)
    throw new ItemError(index, `has no prompt: give it 'prompt' (text) or 'prompt_ids'`);
  const ids = promptIds ? [...promptIds] : tokenizer.encodeWithSpecials(prompt!);
  if (ids.length === 0) {
    const reason = promptIds ? `its prompt_ids are empty` : `this tokenizer adds no token before a text`;
    throw new ItemError(index, `has an empty prompt; ${reason}, so give it at least one`);
  }
  return ids;
}

/** Checks that every id has a row in the model's embedding, and names the item in the error otherwise. */
export function checkTokenIds(ids: readonly number[], vocabSize: number, index: number): void {
  const unknown = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabSize));
  if (unknown !== undefined)
    throw new ItemError(index, `contains the token id ${unknown}; the vocabulary has ${vocabSize} tokens`);
}

/** Encodes the continuation together with the prompt, whose tokens are removed; alone if a token spans the border. */
export function continuationTokens(tokenizer: Tokenizer, item: ContinuationItem, index: number) {
  const promptIds = promptTokens(tokenizer, item, index);
  const { prompt, continuation, continuationIds } = item;
  if (continuationIds) return { promptIds, continuationIds: [...continuationIds] };
  if (continuation === undefined)
    throw new ItemError(index, `has no continuation: give it 'continuation' (text) or 'continuation_ids'`);
  if (prompt !== undefined && item.promptIds === undefined) {
    const both = tokenizer.encodeWithSpecials(prompt + continuation);
    if (promptIds.every((id, i) => both[i] === id)) return { promptIds, continuationIds: both.slice(promptIds.length) };
  }
  return { promptIds, continuationIds: tokenizer.encode(continuation) };
}

/**
 * Returns the text of the ids after the prompt. Prompt and continuation are decoded together where possible, since a tokenizer
 * such as Llama's drops the first space of a text that is decoded alone.
 */
export function continuationText(
  tokenizer: Pick<Tokenizer, 'decode'>,
  promptIds: readonly number[],
  ids: readonly number[],
): string {
  const before = tokenizer.decode(promptIds);
  const whole = tokenizer.decode([...promptIds, ...ids]);
  return whole.startsWith(before) ? whole.slice(before.length) : tokenizer.decode(ids);
}
