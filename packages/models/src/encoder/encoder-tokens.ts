// Makes the padded matrices of token ids and positions that a text encoder reads from texts.
import type { Tokenizer } from '@bowyer/text';
import { firstPosition, isRoberta, maxTokens, type EncoderConfig } from './encoder-config.js';

/** A batch of texts, padded on the right. */
interface TokenMatrix {
  rows: number;
  tokens: number;
  /** [rows, tokens] */
  ids: Int32Array;
  positions: Int32Array;
  /** 1 for tokens, 0 for padding. */
  mask: Float32Array;
}

/**
 * Returns the ids of a text with the tokenizer's special tokens, at most `maxLength`. A longer text is cut off at its beginning, since
 * the latest turns matter most; its special tokens stay.
 */
export function truncateLeft(tokenizer: Tokenizer, text: string, maxLength: number): number[] {
  const whole = tokenizer.encodeWithSpecials(text);
  if (whole.length <= maxLength) return whole;
  const plain = tokenizer.encode(text);
  const specials = whole.length - plain.length;
  const before = specials > 0 ? leadingSpecials(whole, plain) : 0;
  return [
    ...whole.slice(0, before),
    ...plain.slice(plain.length - (maxLength - specials)),
    ...whole.slice(before + plain.length),
  ];
}

/** Counts the special tokens before the text's own ids. */
function leadingSpecials(whole: readonly number[], plain: readonly number[]): number {
  for (let before = 0; before <= whole.length - plain.length; before++) {
    if (plain.every((id, i) => whole[before + i] === id)) return before;
  }
  throw new RangeError('truncateLeft: the tokenizer changes a text’s ids when it adds special tokens');
}

/** Pads to `rows` rows (rows without a text are all padding), and to the longest text's length rounded by `roundUp`. */
export function tokenMatrix(
  texts: readonly (readonly number[])[],
  config: EncoderConfig,
  { rows, roundUp }: { rows: number; roundUp: (count: number) => number },
): TokenMatrix {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 1);
  const tokens = Math.min(roundUp(longest), maxTokens(config));
  if (longest > tokens)
    throw new RangeError(`tokenMatrix: a text has ${longest} tokens, the encoder takes ${maxTokens(config)}`);
  const ids = new Int32Array(rows * tokens).fill(config.padTokenId);
  // RoBERTa gives padding the position of the padding id; BERT's padding is masked, whatever its position.
  const positions = new Int32Array(rows * tokens).fill(isRoberta(config) ? config.padTokenId : 0);
  const mask = new Float32Array(rows * tokens);
  texts.forEach((text, row) => {
    ids.set(text, row * tokens);
    text.forEach((_, i) => (positions[row * tokens + i] = firstPosition(config) + i));
    mask.fill(1, row * tokens, row * tokens + text.length);
  });
  return { rows, tokens, ids, positions, mask };
}
