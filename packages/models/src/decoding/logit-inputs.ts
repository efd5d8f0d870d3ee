// Makes the decoding graph's inputs that change logits, and reads its outputs with the most likely tokens.
import type { KernelProgram, KernelTensor } from '@bowyer/graph';
import { logitChanges, type LogitRules } from './logit-rules.js';

type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

/** Token ids, each at most once, with the number that is added to the token's logit. */
export type LogitBias = readonly (readonly [id: number, by: number])[];

/** The rules that change the logits of one utterance, and the text on which they depend. */
export interface RuledText {
  rules: LogitRules;
  /** The slot's context when the call begins. */
  text: readonly number[];
  /** The number of tokens at the end of `text` that earlier calls generated. */
  newTokens: number;
}

/** The most likely tokens at a position, most likely first. */
export interface TopLogprobs {
  ids: number[];
  logprobs: number[];
}

/** Makes the graph inputs that contain the logit biases of each row. */
export const logitBiasInputs = (rows: readonly LogitBias[]): KernelInputs =>
  pairs(rows, 'logit_bias_ids', 'logit_bias_values');

/**
 * @param masks for each row 32-bit words in which token i is bit i % 32 of word ⌊i / 32⌋; tokens beyond the last word cannot be
 *   chosen; null: all tokens can
 */
export function tokenMaskInput(masks: readonly (Uint32Array | null)[], vocabSize: number): KernelInputs {
  const data = new Uint8Array(masks.length * vocabSize);
  masks.forEach((mask, row) => {
    const own = data.subarray(row * vocabSize, (row + 1) * vocabSize);
    if (!mask) own.fill(1);
    else mask.subarray(0, Math.ceil(vocabSize / 32)).forEach((word, w) => setBits(own, 32 * w, word));
  });
  return { token_mask: { dims: [masks.length, vocabSize], data } };
}

/** Writes 1 into the bytes from index `from` on for each set bit of the 32-bit word; the lowest bit comes first. */
function setBits(bytes: Uint8Array, from: number, word: number): void {
  if (word === -1 >>> 0) bytes.fill(1, from, from + 32);
  else for (let rest = word; rest !== 0; rest &= rest - 1) bytes[from + 31 - Math.clz32(rest & -rest)] = 1;
}

/** Makes the inputs that change the logits of each row's next token. @param generated the tokens that this call has generated */
export function logitRuleInputs(
  rows: readonly {
    ruled: RuledText;
    bias: LogitBias;
    generated: readonly number[];
    terminatorIds: readonly number[];
  }[],
): KernelInputs {
  const changes = rows.map(({ ruled, bias, generated, terminatorIds }) => {
    const { rules, text, newTokens } = ruled;
    const change = logitChanges(rules, [...text, ...generated], newTokens + generated.length, terminatorIds);
    for (const [id, by] of bias) change.bias.set(id, (change.bias.get(id) ?? 0) + by);
    return { bias: [...change.bias], factors: change.penalized.map((id) => [id, rules.repetitionPenalty] as const) };
  });
  return {
    ...logitBiasInputs(changes.map(({ bias }) => bias)),
    ...pairs(
      changes.map(({ factors }) => factors),
      'penalty_ids',
      'penalty_factors',
      1,
    ),
  };
}

/** Makes two inputs from lists of (token id, number), padded to equal length, at least 1, with token 0 and the neutral number. */
function pairs(rows: readonly LogitBias[], idsName: string, numbersName: string, neutral = 0): KernelInputs {
  const width = rows.reduce((most, { length }) => Math.max(most, length), 1);
  const ids = new BigInt64Array(rows.length * width);
  const numbers = new Float32Array(rows.length * width).fill(neutral);
  rows.forEach((row, r) =>
    row.forEach(([id, number], i) => {
      ids[r * width + i] = BigInt(id);
      numbers[r * width + i] = number;
    }),
  );
  const dims = [rows.length, width];
  return { [idsName]: { dims, data: ids }, [numbersName]: { dims, data: numbers } };
}

export function topLogprobsOf(outputs: Readonly<Record<string, KernelTensor>>, rows: number): TopLogprobs[] {
  const ids = outputs.top_ids.data as Int32Array;
  const logprobs = outputs.top_logprobs.data as Float32Array;
  const width = ids.length / rows;
  const rowOf = (numbers: Int32Array | Float32Array, row: number) => [
    ...numbers.subarray(row * width, (row + 1) * width),
  ];
  return Array.from({ length: rows }, (_, row) => ({ ids: rowOf(ids, row), logprobs: rowOf(logprobs, row) }));
}
