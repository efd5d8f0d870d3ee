// Rotary position embedding as graph pieces: cosines and sines of the positions once per graph, then a turn of each head.
//
//     [a, b] → [a cos − b sin, b cos + a sin],   a and b the first and second half of a head's rotary columns
//
// Source: Su et al. 2021, arXiv:2104.09864, eq. 34, with the columns paired as in GPT-NeoX and Hugging Face's Llama.
import { divideDims, type GraphBuilder, type Value } from '@bowyer/graph';
import type { RotaryFrequencies } from './rotary-frequencies.js';

/** What turns a head at each position, ready to be multiplied: [positions, 1, rotaryDims]. */
export interface RotaryTables {
  /** cos, twice beside each other. */
  cos: Value;
  /** −sin, then sin: the factor of the two halves exchanged. */
  sin: Value;
}

/** @param positions [positions] int64 or int32 */
export function rotaryTables(
  g: GraphBuilder,
  positions: Value,
  { frequencies, magnitude }: RotaryFrequencies,
): RotaryTables {
  const places = g.unsqueeze(g.unsqueeze(g.cast(positions, 'float32'), 1), 2);
  const angles = g.mul(places, g.constant(frequencies, [1, 1, frequencies.length]));
  const [cos, sin] = [g.mul(g.cos(angles), magnitude), g.mul(g.sin(angles), magnitude)];
  return { cos: g.concat([cos, cos], 2), sin: g.concat([g.neg(sin), sin], 2) };
}

/**
 * Turns the first columns of every head; where a head is wider than the tables, the rest stays as it is.
 *
 * @param x [rows, heads, headSize]; the rows are the tables' positions, or any number of repetitions of them
 * @returns [rows, heads, headSize]
 */
export function rotateHeads(g: GraphBuilder, x: Value, { cos, sin }: RotaryTables): Value {
  const [rows, heads, headSize] = x.shape;
  const positions = cos.dim(0);
  const rotary = cos.dim(2) as number;
  // Positions shared by a batch: one more axis, over which the tables broadcast.
  const batched =
    positions === rows ? x : g.reshape(x, [divideDims(rows, positions) ?? -1, positions, heads, headSize]);
  const [turning, resting] = g.split(
    batched,
    -1,
    rotary === headSize ? [rotary] : [rotary, (headSize as number) - rotary],
  );
  const [a, b] = g.split(turning, -1, 2);
  const turned = g.add(g.mul(turning, cos), g.mul(g.concat([b, a], -1), sin));
  return g.reshape(resting ? g.concat([turned, resting], -1) : turned, x.shape);
}
