// Rotary position embedding as graph pieces: cosines and sines of the positions are computed once per graph, then each head is
// rotated.
//
//     [a, b] → [a cos − b sin, b cos + a sin],   a and b the first and second half of a head's rotary columns
//
// Source: Su et al. 2021, arXiv:2104.09864, eq. 34, with columns paired as in GPT-NeoX and Hugging Face's Llama, or interleaved as in
// the paper, where each column is paired with its neighbour.
import { divideDims, type GraphBuilder, type Value } from '@bowyer/graph';
import type { RotaryFrequencies } from './rotary-frequencies.js';

/** Cosines and sines for each position, [positions, 1, rotaryDims]. */
export interface RotaryTables {
  /** The cosine for both columns of a pair. */
  cos: Value;
  /** −sin for the first column of a pair and sin for the second; it is multiplied by the columns with each pair exchanged. */
  sin: Value;
  interleaved: boolean;
}

/** The rows of the fine table; the coarse table has one row per so many positions. */
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
  let [cos, sin] = turns(g, rotary, Math.min(BLOCK, contextLength), 1, fine);
  if (contextLength > BLOCK) {
    const [c, s] = turns(g, rotary, Math.ceil(contextLength / BLOCK), BLOCK, block);
    [cos, sin] = [g.sub(g.mul(c, cos), g.mul(s, sin)), g.add(g.mul(s, cos), g.mul(c, sin))];
  }
  if (magnitude !== 1) [cos, sin] = [g.mul(cos, magnitude), g.mul(sin, magnitude)];
  const { interleaved = false } = rotary;
  const pairs = [cos.dim(0), 1, 2 * rotary.frequencies.length];
  const both = (first: Value, second: Value) =>
    interleaved
      ? g.reshape(g.concat([g.unsqueeze(first, 2), g.unsqueeze(second, 2)], 2), pairs)
      : g.unsqueeze(g.concat([first, second], 1), 1);
  return { cos: both(cos, cos), sin: both(g.neg(sin), sin), interleaved };
}

/** Looks up cosines and sines at row · step positions: [positions, rotaryDims / 2] each. */
function turns(
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
 * @param x [rows, heads, headSize]; the rows are the tables' positions, or repetitions of them
 * @returns [rows, heads, headSize]
 */
export function rotateHeads(g: GraphBuilder, x: Value, { cos, sin, interleaved }: RotaryTables): Value {
  const [rows, heads, headSize] = x.shape;
  const positions = cos.dim(0);
  const rotary = cos.dim(2) as number;
  // If a batch shares the positions, x gets one more axis, over which the tables broadcast.
  const batched =
    positions === rows ? x : g.reshape(x, [divideDims(rows, positions) ?? -1, positions, heads, headSize]);
  const [turning, resting] = g.split(
    batched,
    -1,
    rotary === headSize ? [rotary] : [rotary, (headSize as number) - rotary],
  );
  const rotated = g.add(g.mul(turning, cos), g.mul(exchanged(g, turning, interleaved), sin));
  return g.reshape(resting ? g.concat([rotated, resting], -1) : rotated, x.shape);
}

/** Exchanges the two columns of each pair. */
function exchanged(g: GraphBuilder, x: Value, interleaved: boolean): Value {
  const columns = Number(x.dim(-1));
  const pairs = interleaved ? g.reshape(x, [...x.shape.slice(0, -1), columns / 2, 2]) : x;
  const [a, b] = g.split(pairs, -1, 2);
  return g.reshape(g.concat([b, a], -1), x.shape);
}
