// Computes AdamW on blocks of 256 weights whose moments are 8-bit codes (moment-codes.ts), in WebAssembly, four weights at a time.
import type { TensorArray } from '@bowyer/graph';
import type { AdamScalars } from '../wasm/elementwise-simd.js';
import { loopFunction } from '../wasm/loop-function.js';
import { Loops } from '../wasm/loop-memory.js';
import { blockLength, leastMoment, leastRoot, maxFirstMomentCode, maxSecondMomentCode } from './moment-codes.js';
import {
  add,
  addI32,
  and,
  andNot,
  constF32,
  constI32,
  constVector0,
  div,
  divF32,
  greaterF32,
  maxLane,
  load,
  loadBytes,
  loadF32,
  loadSignedBytes,
  local,
  loopBy,
  lowerToF32,
  max,
  mul,
  or,
  select,
  setLocal,
  splat,
  sqrt,
  store,
  storeF32,
  sub,
  subI32,
  toBytes,
  toI16,
  toSignedBytes,
  upperToF32,
  type Code,
} from '../wasm/simd-assembler.js';

/** The byte offsets in scratch memory of a block's new first moments and of the roots of its new second moments. */
const [momentsAt, rootsAt] = [0, 4 * blockLength];

/** The names of the loop's scalar parameters, which are the same for every weight (see `adamW8bitInPlace`). */
const scalarOrder = [
  ...(['firstGain', 'secondGain', 'firstDecay', 'secondDecay', 'keep', 'stepSize', 'eps'] as const),
  // Constant vectors are parameters of the function too, since V8 would construct them with four instructions at each use.
  ...(['minusZero', 'one', 'rounder'] as const),
];
type Scalars = Record<(typeof scalarOrder)[number], number>;

/** A number that, added to one below 2²², leaves the nearest integer in the lowest bits of the sum. */
const ROUNDER = 1.5 * 2 ** 23;

/**
 * Declares adam8(elements, parameter, gradient, first codes, second codes, first scales, second scales, ...scalars). `elements` is a
 * multiple of 256; the gradient is set to zero. A block takes two passes: first new moments and parameters, then the codes, whose
 * scales are known only then.
 */
const adam8 = loopFunction(
  'adam8',
  {
    whole: ['elements', 'p', 'g', 'm', 'v', 'mScale', 'vScale'],
    scalars: scalarOrder,
    counters: ['block', 'own', 'mRead', 'vRead'],
    vectors: ['firstCodes', 'secondCodes', 'gradient', 'moment', 'second', 'firstMost', 'secondMost', 'first', 'root'],
  },
  ({ at, scalar }) => {
    const [p, g, m, v, own, mRead, vRead] = [at.p, at.g, at.m, at.v, at.own, at.mRead, at.vRead].map(local);
    const [moment, root] = [local(at.moment), local(at.second)];
    const advance = (addresses: number[], by: number) =>
      addresses.flatMap((address) => setLocal(address, addI32(local(address), constI32(by))));
    const absolute = (a: Code) => andNot(a, scalar.minusZero);
    /** Makes a loop over the 256 weights of a block, of which `body` processes sixteen at a time. */
    const pass = (body: Code): Code => [
      ...setLocal(at.own, constI32(0)),
      ...loopBy(64, at.own, constI32(4 * blockLength), body),
    ];
    /** Makes the code for new moments and parameters of four weights, `ahead` bytes after the pointers p and g. */
    const four = (half: (a: Code) => Code, ahead: number): Code => [
      ...setLocal(at.gradient, load(g, ahead)),
      ...setLocal(at.moment, half(local(at.firstCodes))),
      ...setLocal(
        at.moment,
        add(mul(mul(moment, absolute(moment)), local(at.first)), mul(local(at.gradient), scalar.firstGain)),
      ),
      ...setLocal(at.second, half(local(at.secondCodes))),
      ...setLocal(at.second, mul(mul(root, root), local(at.root))),
      ...setLocal(at.gradient, mul(local(at.gradient), scalar.secondGain)),
      ...setLocal(at.second, sqrt(add(mul(root, root), mul(local(at.gradient), local(at.gradient))))),
      ...setLocal(at.firstMost, max(local(at.firstMost), absolute(moment))),
      ...setLocal(at.secondMost, max(local(at.secondMost), root)),
      ...store(own, moment, momentsAt + ahead),
      ...store(own, root, rootsAt + ahead),
      ...store(g, constVector0, ahead),
      ...store(
        p,
        sub(mul(load(p, ahead), scalar.keep), div(mul(moment, scalar.stepSize), add(root, scalar.eps))),
        ahead,
      ),
    ];
    const eight = (ahead: number): Code => [
      ...setLocal(at.firstCodes, loadSignedBytes(mRead, ahead)),
      ...setLocal(at.secondCodes, loadBytes(vRead, ahead)),
      ...four(lowerToF32, 4 * ahead),
      ...four(upperToF32, 4 * ahead + 16),
    ];
    const rounded = (a: Code) => subI32(add(a, scalar.rounder), scalar.rounder);
    /**
     * Makes the code that computes four 8-bit codes: those of first moments are 127 √(|m| / scale) with m's sign, those of second
     * moments (`secondCode`) are 255 √(√v / scale), at least 1.
     */
    const firstCode = (ahead: number): Code => {
      const value = load(own, momentsAt + ahead);
      return rounded(or(sqrt(mul(absolute(value), local(at.first))), and(value, scalar.minusZero)));
    };
    const secondCode = (ahead: number): Code =>
      rounded(max(sqrt(mul(load(own, rootsAt + ahead), local(at.root))), scalar.one));
    const sixteen = (code: (ahead: number) => Code, toBytes: (a: Code, b: Code) => Code): Code =>
      toBytes(toI16(code(0), code(16)), toI16(code(32), code(48)));
    /** Makes the code that computes most² / scale, a factor of encoding; it is 0 if the scale is 0. */
    const inverse = (most: number, scale: Code) => {
      const isThere = greaterF32(scale, constF32(0));
      return splat(select(isThere, divF32(constF32(most * most), scale), constF32(0)));
    };
    /** Computes the largest value in the vector `most`; 0 if so small that the block's moments are dropped (see `leastRoot`). */
    const largest = (most: number, least: number) => {
      const value = maxLane(local(most));
      return select(greaterF32(value, constF32(least)), value, constF32(0));
    };
    const remembered = greaterF32(maxLane(local(at.secondMost)), constF32(leastRoot));
    return loopBy(blockLength, at.block, local(at.elements), [
      ...setLocal(at.first, mul(splat(loadF32(local(at.mScale))), scalar.firstDecay)),
      ...setLocal(at.root, mul(splat(loadF32(local(at.vScale))), scalar.secondDecay)),
      ...[at.firstMost, at.secondMost].flatMap((most) => setLocal(most, constVector0)),
      ...[setLocal(at.mRead, m), setLocal(at.vRead, v)].flat(),
      ...pass([...eight(0), ...eight(8), ...advance([at.p, at.g], 64), ...advance([at.mRead, at.vRead], 16)]),
      ...storeF32(local(at.mScale), select(remembered, largest(at.firstMost, leastMoment), constF32(0))),
      ...storeF32(local(at.vScale), largest(at.secondMost, leastRoot)),
      ...setLocal(at.first, inverse(maxFirstMomentCode, loadF32(local(at.mScale)))),
      ...setLocal(at.root, inverse(maxSecondMomentCode, loadF32(local(at.vScale)))),
      ...pass([
        ...store(m, sixteen(firstCode, toSignedBytes)),
        ...store(v, sixteen(secondCode, toBytes)),
        ...advance([at.m, at.v], 16),
      ]),
      ...advance([at.mScale, at.vScale], 4),
    ]);
  },
);

interface Adam8Loops {
  adam8(elements: number, ...addressesAndScalars: number[]): void;
}

let instance: Loops<Adam8Loops> | undefined;

/** The 8-bit codes of a tensor of moments, four in a 32-bit word, and the scales of its blocks. */
export interface CodedMoments {
  words: TensorArray;
  scales: Float32Array;
}

/** Takes AdamW's step on whole blocks in place, and sets the gradient to zero. */
export function adamW8bitInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  first: CodedMoments,
  second: CodedMoments,
  s: Omit<AdamScalars, 'l2'>,
): void {
  // p ← keep · p − stepSize · m / (√v · correction + ε), with numerator and denominator divided by the correction.
  const scalars: Scalars = {
    firstGain: s.gradientScale * s.oneMinusBeta1,
    secondGain: s.gradientScale * Math.sqrt(s.oneMinusBeta2),
    firstDecay: s.beta1 / maxFirstMomentCode ** 2,
    secondDecay: Math.sqrt(s.beta2) / maxSecondMomentCode ** 2,
    keep: s.keep,
    stepSize: s.stepSize / s.secondMomentScale,
    eps: s.eps / s.secondMomentScale,
    minusZero: -0,
    one: 1,
    rounder: ROUNDER,
  };
  const ordered = scalarOrder.map((name) => scalars[name]);
  instance ??= new Loops<Adam8Loops>([adam8]);
  const arrays = [
    ...[parameter, gradient].map((array) => ({ array })),
    ...[first.words, second.words].map((array) => ({ array, per: 4 })),
    ...[first.scales, second.scales].map((array) => ({ array, per: blockLength })),
  ];
  instance.over(parameter.length, arrays, (loop, count, ...addresses) => loop.adam8(count, ...addresses, ...ordered));
}
