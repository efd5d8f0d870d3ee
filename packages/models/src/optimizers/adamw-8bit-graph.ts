// Builds AdamW with 8-bit moments as a graph, for parameters that are on a GPU: the formulas of adamw-8bit-loops.ts, on [blocks, 256]. Four
// codes are packed into an int32 word, since the execution provider supports no 8-bit tensors; arithmetic packs and unpacks them.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import { adamUpdate, adamUpdates, type AdamNumbers } from './adam-graph.js';
import type { AdamW8bitRoles } from './adamw-8bit-kernel.js';
import { clipGraph } from './gradient-clip.js';
import {
  blockLength,
  leastMoment,
  leastRoot,
  maxFirstMomentCode,
  maxSecondMomentCode,
  wordsPerBlock,
} from './moment-codes.js';
import { picked, type NamedValues } from './tensor-groups.js';

export function adamW8bitGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const numbers = args as AdamNumbers;
  const clip = clipGraph(g, states.g, numbers);
  const { finite, scale, zero, results } = clip;
  const { p, g: gradients, m, v, firstScales } = states;
  const inFloats = Object.keys(p).filter((name) => !firstScales[name]);
  const of = (tensors: NamedValues) => picked(tensors, inFloats);
  const updated: Record<AdamW8bitRoles, Record<string, Value>> = {
    ...adamUpdates(g, { p: of(p), g: of(gradients), m: of(m), v: of(v) }, clip, numbers, true),
    firstScales: {},
    secondScales: {},
  };
  for (const name of Object.keys(firstScales)) {
    const old = Object.fromEntries(Object.entries(states).map(([role, state]) => [role, state[name]])) as Tensors;
    const stepped = steppedInBlocks(g, old, scale, numbers);
    for (const [role, value] of Object.entries(stepped) as [keyof typeof stepped, Value][])
      updated[role][name] = g.where(finite, value, old[role]);
    updated.g[name] = g.expand(zero, p[name].shape);
  }
  return { states: updated, results };
}

type Tensors = Record<AdamW8bitRoles, Value>;

/** Computes the step of one tensor, divided into blocks of 256 numbers. */
function steppedInBlocks(
  g: GraphBuilder,
  { p, g: gradient, m, v, firstScales, secondScales }: Tensors,
  scale: Value,
  numbers: AdamNumbers,
): Omit<Tensors, 'g'> {
  const shape = p.shape as number[];
  const size = shape.reduce((product, dim) => product * dim, 1);
  const blocks = firstScales.dim(0) as number;
  const inBlocks = (x: Value) =>
    g.reshape(g.pad(g.reshape(x, [size]), 0, 0, blocks * blockLength - size), [blocks, blockLength]);
  const first = bytesOf(g, m, blocks, true);
  const root = g.mul(g.square(bytesOf(g, v, blocks, false)), g.mul(secondScales, maxSecondMomentCode ** -2));
  const next = adamUpdate(
    g,
    {
      p: inBlocks(p),
      g: inBlocks(gradient),
      m: g.mul(g.mul(first, g.abs(first)), g.mul(firstScales, maxFirstMomentCode ** -2)),
      v: g.square(root),
    },
    scale,
    numbers,
    true,
  );
  const newRoot = g.sqrt(next.v);
  const largest = (x: Value) => g.reduceMax(x, { axes: [1], keepdims: true });
  const [firstMost, secondMost] = [largest(g.abs(next.m)), largest(newRoot)];
  const secondScale = g.where(g.greater(secondMost, leastRoot), secondMost, 0);
  const firstScale = g.where(g.greater(g.min(firstMost, secondScale), leastMoment), firstMost, 0);
  const ratio = (x: Value, by: Value) => g.where(g.greater(by, 0), g.div(x, g.max(by, leastMoment)), 0);
  const magnitudes = rounded(g, g.mul(g.sqrt(ratio(g.abs(next.m), firstScale)), maxFirstMomentCode));
  const firstCodes = g.where(g.less(next.m, 0), g.neg(magnitudes), magnitudes); // the execution provider has no Sign
  const secondCodes = g.max(rounded(g, g.mul(g.sqrt(ratio(newRoot, secondScale)), maxSecondMomentCode)), 1);
  const flat = g.reshape(next.p, [blocks * blockLength]);
  return {
    p: g.reshape(g.slice(flat, 0, 0, size), shape),
    m: wordsOf(g, firstCodes, blocks),
    v: wordsOf(g, secondCodes, blocks),
    firstScales: firstScale,
    secondScales: secondScale,
  };
}

const rounded = (g: GraphBuilder, x: Value) => g.floor(g.add(x, 0.5));

/** Unpacks int32 [blocks, 64] to the four bytes of each word, the lowest first: float32 [blocks, 256]. */
function bytesOf(g: GraphBuilder, words: Value, blocks: number, signed: boolean): Value {
  // Integer division truncates towards 0, so for a negative remainder the quotient must be one less.
  const cut = g.div(words, 2 ** 24);
  const left = g.sub(words, g.mul(cut, 2 ** 24));
  const isLess = g.less(left, 0);
  const upper = g.cast(g.where(isLess, g.sub(cut, 1), cut), 'float32');
  let lower = g.cast(g.where(isLess, g.add(left, 2 ** 24), left), 'float32'); // below 2²⁴, so exact in float32
  const bytes: Value[] = [];
  for (const unit of [2 ** 16, 2 ** 8]) {
    const byte = g.floor(g.div(lower, unit));
    lower = g.sub(lower, g.mul(byte, unit));
    bytes.unshift(byte);
  }
  const all = g.concat(
    [lower, ...bytes, upper].map((byte) => g.reshape(byte, [blocks, wordsPerBlock, 1])),
    2,
  );
  // So far the lower three bytes are 0 … 255 and the upper byte is −128 … 127: each is converted to the range of the codes.
  const numbers = signed
    ? g.where(g.greater(all, 127), g.sub(all, 256), all)
    : g.where(g.less(all, 0), g.add(all, 256), all);
  return g.reshape(numbers, [blocks, blockLength]);
}

/** Packs integers −128 … 255 in float32 [blocks, 256] into int32 [blocks, 64], the inverse of `bytesOf`. */
function wordsOf(g: GraphBuilder, codes: Value, blocks: number): Value {
  const parts = g.reshape(codes, [blocks, wordsPerBlock, 4]);
  const byte = (i: number) => g.reshape(g.slice(parts, 2, i, i + 1), [blocks, wordsPerBlock]);
  const unsigned = (i: number) => g.where(g.less(byte(i), 0), g.add(byte(i), 256), byte(i));
  const upper = g.where(g.greater(byte(3), 127), g.sub(byte(3), 256), byte(3));
  const lower = g.add(g.add(unsigned(0), g.mul(unsigned(1), 2 ** 8)), g.mul(unsigned(2), 2 ** 16));
  return g.add(g.mul(g.cast(upper, 'int32'), 2 ** 24), g.cast(lower, 'int32'));
}
