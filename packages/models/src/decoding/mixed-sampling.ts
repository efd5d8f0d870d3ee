// Samples rows with different settings in one graph. Every row is sampled from its whole distribution, which costs little; rows
// with top-k or top-p are also sorted and sampled again, and these tokens replace the first ones.
import type { GraphBuilder, KernelProgram, Value } from '@bowyer/graph';
import { sampleFull, sampleTruncated } from './draw-token.js';
import { GREEDY_TEMPERATURE, type RowSampling } from './sampling-options.js';

type KernelInputs = NonNullable<Parameters<KernelProgram['run']>[0]['inputs']>;

/**
 * Samples a token for each row. Declares the graph inputs `temperatures` [rows]; `truncated` [m], the indices of the rows with
 * truncation; `row_top_k` and `row_top_p` [m]; `candidates` [1], the largest of `row_top_k`; and `choices` [rows], the index of
 * each row's token in the list of all rows' tokens followed by those of the rows with truncation.
 *
 * @param logits [rows, vocabulary]
 * @param uniforms [rows] uniform random numbers
 */
export function sampleMixed(
  g: GraphBuilder,
  logits: Value,
  uniforms: Value,
): { tokens: Value; samplingLogprobs: Value } {
  const tempered = g.div(logits, g.unsqueeze(g.input('temperatures', 'float32', [logits.dim(0)]), 1));
  const whole = sampleFull(g, tempered, uniforms);
  const rows = g.input('truncated', 'int32', ['truncated_rows']);
  const limits = {
    candidates: g.input('candidates', 'int64', [1]),
    topK: g.unsqueeze(g.input('row_top_k', 'float32', ['truncated_rows']), 1),
    topP: g.unsqueeze(g.input('row_top_p', 'float32', ['truncated_rows']), 1),
  };
  const cut = sampleTruncated(g, g.gather(tempered, rows), limits, g.gather(uniforms, rows));
  const choices = g.input('choices', 'int32', [logits.dim(0)]);
  const chosen = (all: Value, some: Value) => g.gather(g.concat([all, some], 0), choices);
  return {
    tokens: chosen(whole.tokens, cut.tokens),
    samplingLogprobs: chosen(whole.samplingLogprobs, cut.samplingLogprobs),
  };
}

/** Makes the inputs with all rows' settings, as `computable` returns them; a greedy row's uniform number must be 0. */
export function mixedSamplingInputs(rows: readonly RowSampling[], vocabSize: number): KernelInputs {
  const countOf = ({ topK }: RowSampling) => (topK === 0 ? vocabSize : Math.min(topK, vocabSize));
  const isCut = (own: RowSampling) => !own.greedy && (countOf(own) < vocabSize || own.topP < 1);
  const cut = [...rows.keys()].filter((row) => isCut(rows[row]));
  const places = new Map(cut.map((row, i) => [row, rows.length + i]));
  // ONNX Runtime's TopK fails for 0 rows, since it divides by their number, so that at least one row is sorted.
  if (cut.length === 0) cut.push(0);
  const counts = cut.map((row) => (places.has(row) ? countOf(rows[row]) : 1));
  const floats = (data: readonly number[]) => ({ dims: [data.length], data: Float32Array.from(data) });
  const integers = (data: readonly number[]) => ({ dims: [data.length], data: Int32Array.from(data) });
  return {
    temperatures: floats(rows.map(({ greedy, temperature }) => (greedy ? GREEDY_TEMPERATURE : temperature))),
    truncated: integers(cut),
    row_top_k: floats(counts),
    row_top_p: floats(cut.map((row) => rows[row].topP)),
    candidates: { dims: [1], data: BigInt64Array.of(BigInt(counts.reduce((most, count) => Math.max(most, count), 1))) },
    choices: integers(rows.map((_, row) => places.get(row) ?? row)),
  };
}
