// Builds rotary position embedding: cosines and sines of the positions are computed once per graph, and rotate each head.
//
//     [a, b] → [a cos − b sin, b cos + a sin],   a and b the first and second half of a head's rotary columns
//
// Source: Su et al. 2021, arXiv:2104.09864, eq. 34, with columns paired as in GPT-NeoX and Hugging Face's Llama, or interleaved as in
// the paper, where each column is paired with its neighbour.
import { defineOp, divideDims, type GraphBuilder, type Value } from '@bowyer/graph';
import type { RotaryFrequencies } from './rotary-frequencies.js';

/** Cosines and sines for each position, [positions, rotaryDims / 2]. */
export interface RotaryTables {
  cos: Value;
  sin: Value;
  interleaved: boolean;
}

/**
 * Rotates the heads of x [batch, tokens, heads · headSize] by consecutive rows of the tables; the second operand [1] is the index
 * of the first row. A rotation by the opposite angle is its inverse and its transpose, so dx is dy rotated by −sin. Source: ONNX
 * Runtime's contrib operator, https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
 */
const RotaryEmbedding = defineOp('RotaryEmbedding', {
  domain: 'com.microsoft',
  infer: ({ inputs: [x] }) => [{ dtype: x.dtype, shape: x.shape }],
  gradient: (g, { inputs: [, first, cos, sin], dy, attributes }) => [
    g.apply(RotaryEmbedding, [dy, first, cos, g.neg(sin!)], attributes)[0],
    null,
    null,
    null,
  ],
});

/** The number of rows of the fine table; the coarse table has one row for this number of positions. */
const BLOCK = 256;

/**
 * Computes cosines and sines from two small tables that are made here in float64, since a GPU's own sine has errors of 2⁻¹¹, and
 * larger ones for large angles:
 *
 *     position = coarse + fine,   cos(c + f) = cos c cos f − sin c sin f,   sin(c + f) = sin c cos f + cos c sin f
 *
 * @param positions [positions] int64 or int32, below the context length
 */
export function rotaryTables(g: GraphBuilder, positions: Value, rotary: RotaryFrequencies): RotaryTables {
  const { magnitude, contextLength } = rotary;
  const places = g.cast(positions, 'int64');
  const block = g.div(places, BLOCK);
  const fine = contextLength > BLOCK ? g.sub(places, g.mul(block, BLOCK)) : places;
  let [cos, sin] = rotations(g, rotary, Math.min(BLOCK, contextLength), 1, fine);
  if (contextLength > BLOCK) {
    const [c, s] = rotations(g, rotary, Math.ceil(contextLength / BLOCK), BLOCK, block);
    [cos, sin] = [g.sub(g.mul(c, cos), g.mul(s, sin)), g.add(g.mul(s, cos), g.mul(c, sin))];
  }
  if (magnitude !== 1) [cos, sin] = [g.mul(cos, magnitude), g.mul(sin, magnitude)];
  return { cos, sin, interleaved: rotary.interleaved ?? false };
}

/**
 * Looks up cosines and sines in a table whose row r belongs to position r · step: [positions, rotaryDims / 2] each.
 *
 * @param picked [positions] the row for each position
 */
function rotations(
  g: GraphBuilder,
  { frequencies }: RotaryFrequencies,
  rows: number,
  step: number,
  picked: Value,
): [Value, Value] {
  const table = (wave: (angle: number) => number) => {
    const values = new Float32Array(rows * frequencies.length);
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < frequencies.length; i++)
        values[row * frequencies.length + i] = wave(row * step * frequencies[i]);
    return g.gather(g.constant(values, [rows, frequencies.length]), picked, 0);
  };
  return [table(Math.cos), table(Math.sin)];
}

/**
 * Rotates the first columns of every head; columns beyond the tables' width are not changed.
 *
 * @param x [rows, heads, headSize], as the result; the rows are the tables' positions, or repetitions of them
 */
export function rotateHeads(g: GraphBuilder, x: Value, { cos, sin, interleaved }: RotaryTables): Value {
  const [rows, heads, headSize] = x.shape;
  const positions = cos.dim(0);
  const rotaryDims = 2 * Number(cos.dim(1));
  const batch = positions === rows ? 1 : (divideDims(rows, positions) ?? -1);
  const flat = g.reshape(x, [batch, positions, Number(heads) * Number(headSize)]);
  const first = g.constant(BigInt64Array.of(0n), [1], 'int64');
  const [rotated] = g.apply(RotaryEmbedding, [flat, first, cos, sin], {
    interleaved: Number(interleaved),
    num_heads: Number(heads),
    ...(rotaryDims !== headSize && { rotary_embedding_dim: rotaryDims }),
  });
  return g.reshape(rotated, x.shape);
}
