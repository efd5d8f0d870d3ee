// The loops that touch every parameter, as WebAssembly SIMD: Adam's and SGD's update, a sum of squares, Polyak averaging.
// Gradients and moments are worked on where they lie (graph/src/device/host-memory.ts); loop-memory.ts copies what lies elsewhere.
import { Loops } from './loop-memory.js';
import {
  abs,
  add,
  addF64,
  addI32,
  and,
  constVector0,
  div,
  greaterOrEqual,
  load,
  local,
  loopBy,
  mul,
  mulF64,
  promoteLow,
  setLocal,
  splat,
  sqrt,
  store,
  sub,
  sumLanes,
  upperHalf,
  type FunctionSource,
} from './simd-assembler.js';

/** The numbers of one Adam step that are the same for every parameter. */
export interface AdamScalars {
  /** Factor on every gradient: the clip by global norm. */
  gradientScale: number;
  beta1: number;
  beta2: number;
  oneMinusBeta1: number;
  oneMinusBeta2: number;
  /** lr / (1 − β₁ᵗ) */
  stepSize: number;
  /** 1 / √(1 − β₂ᵗ) */
  secondMomentScale: number;
  eps: number;
  /** Added to the gradient as `weightDecay · p` (Adam's L2 penalty). */
  l2: number;
  /** Factor on the parameter before the step: 1 − lr · weightDecay (AdamW's decoupled decay). */
  keep: number;
}

export const adamScalarOrder = [
  'gradientScale',
  'beta1',
  'oneMinusBeta1',
  'beta2',
  'oneMinusBeta2',
  'stepSize',
  'secondMomentScale',
  'eps',
  'l2',
  'keep',
  'smallest',
] as const;

/** adam(bytes, parameter, gradient, first moment, second moment, ...scalars); the gradient becomes zero. */
function adamSource(): FunctionSource {
  const count = adamScalarOrder.length;
  const firstVector = 5 + count; // locals behind the parameters: one vector for each scalar, then these
  const [offset, parameter, gradient, moment, second] = [0, 1, 2, 3, 4].map((i) => firstVector + count + i);
  const scalar = Object.fromEntries(adamScalarOrder.map((name, i) => [name, local(firstVector + i)]));
  const [p, g, m, v] = [1, 2, 3, 4].map((address) => addI32(local(address), local(offset)));
  // Subnormal moments (of embedding rows whose word has not been seen for long) are 100 times slower: they become zero.
  const flush = (value: readonly number[], index: number) => [
    ...setLocal(index, value),
    ...setLocal(index, and(local(index), greaterOrEqual(abs(local(index)), scalar.smallest))),
  ];
  return {
    name: 'adam',
    params: ['i32', 'i32', 'i32', 'i32', 'i32', ...adamScalarOrder.map(() => 'f32' as const)],
    locals: [...adamScalarOrder.map(() => 'v128' as const), 'i32', 'v128', 'v128', 'v128', 'v128'],
    body: [
      ...adamScalarOrder.flatMap((_, i) => setLocal(firstVector + i, splat(local(5 + i)))),
      ...loopBy(16, offset, local(0), [
        ...setLocal(parameter, load(p)),
        ...setLocal(gradient, add(mul(load(g), scalar.gradientScale), mul(local(parameter), scalar.l2))),
        ...flush(add(mul(load(m), scalar.beta1), mul(local(gradient), scalar.oneMinusBeta1)), moment),
        ...flush(
          add(mul(load(v), scalar.beta2), mul(mul(local(gradient), local(gradient)), scalar.oneMinusBeta2)),
          second,
        ),
        ...store(g, constVector0),
        ...store(m, local(moment)),
        ...store(v, local(second)),
        ...store(
          p,
          sub(
            mul(local(parameter), scalar.keep),
            div(
              mul(local(moment), scalar.stepSize),
              add(mul(sqrt(local(second)), scalar.secondMomentScale), scalar.eps),
            ),
          ),
        ),
      ]),
    ],
  };
}

/** The numbers of one SGD step; the new parameter is p − lr · (gradientShare · g + bufferShare · b). */
const sgdScalarOrder = ['gradientScale', 'l2', 'momentum', 'lr', 'gradientShare', 'bufferShare'] as const;
export type SgdScalars = Record<(typeof sgdScalarOrder)[number], number>;

/** sgd(bytes, parameter, gradient, momentum buffer, ...scalars); the gradient becomes zero. */
function sgdSource(): FunctionSource {
  const count = sgdScalarOrder.length;
  const firstVector = 4 + count;
  const [offset, parameter, gradient, buffer] = [0, 1, 2, 3].map((i) => firstVector + count + i);
  const scalar = Object.fromEntries(sgdScalarOrder.map((name, i) => [name, local(firstVector + i)]));
  const [p, g, b] = [1, 2, 3].map((address) => addI32(local(address), local(offset)));
  const direction = add(mul(local(gradient), scalar.gradientShare), mul(local(buffer), scalar.bufferShare));
  return {
    name: 'sgd',
    params: ['i32', 'i32', 'i32', 'i32', ...sgdScalarOrder.map(() => 'f32' as const)],
    locals: [...sgdScalarOrder.map(() => 'v128' as const), 'i32', 'v128', 'v128', 'v128'],
    body: [
      ...sgdScalarOrder.flatMap((_, i) => setLocal(firstVector + i, splat(local(4 + i)))),
      ...loopBy(16, offset, local(0), [
        ...setLocal(parameter, load(p)),
        ...setLocal(gradient, add(mul(load(g), scalar.gradientScale), mul(local(parameter), scalar.l2))),
        ...setLocal(buffer, add(mul(load(b), scalar.momentum), local(gradient))),
        ...store(b, local(buffer)),
        ...store(g, constVector0), // last: without momentum it stands for the buffer as well
        ...store(p, sub(local(parameter), mul(direction, scalar.lr))),
      ]),
    ],
  };
}

/** sumOfSquares(bytes, values), in float64; four running sums, so that an addition need not wait for the last. */
function sumOfSquaresSource(): FunctionSource {
  const [bytes, address, offset, values, pair] = [0, 1, 2, 3, 4];
  const sums = [5, 6, 7, 8];
  const addSquares = (sum: number, half: readonly number[]) => [
    ...setLocal(pair, promoteLow(half)),
    ...setLocal(sum, addF64(local(sum), mulF64(local(pair), local(pair)))),
  ];
  const addVector = (ahead: number, lowerSum: number, upperSum: number) => [
    ...setLocal(values, load(addI32(local(address), local(offset)), ahead)),
    ...addSquares(lowerSum, local(values)),
    ...addSquares(upperSum, upperHalf(local(values))),
  ];
  const total = sums.map(local).reduce((a, b) => addF64(a, b));
  return {
    name: 'sumOfSquares',
    params: ['i32', 'i32'],
    result: 'f64',
    locals: ['i32', 'v128', 'v128', ...sums.map(() => 'v128' as const)],
    body: [
      ...loopBy(32, offset, local(bytes), [...addVector(0, sums[0], sums[1]), ...addVector(16, sums[2], sums[3])]),
      ...setLocal(sums[0], total),
      ...sumLanes(local(sums[0])),
    ],
  };
}

/** polyak(bytes, target, online, tau, 1 − tau): target ← (1 − τ) · target + τ · online. */
function polyakSource(): FunctionSource {
  const [bytes, target, online, tau, oneMinusTau, offset, tauVector, oneMinusTauVector] = [0, 1, 2, 3, 4, 5, 6, 7];
  const at = (address: number) => addI32(local(address), local(offset));
  return {
    name: 'polyak',
    params: ['i32', 'i32', 'i32', 'f32', 'f32'],
    locals: ['i32', 'v128', 'v128'],
    body: [
      ...setLocal(tauVector, splat(local(tau))),
      ...setLocal(oneMinusTauVector, splat(local(oneMinusTau))),
      ...loopBy(
        16,
        offset,
        local(bytes),
        store(
          at(target),
          add(mul(load(at(target)), local(oneMinusTauVector)), mul(load(at(online)), local(tauVector))),
        ),
      ),
    ],
  };
}

interface Elementwise {
  adam(bytes: number, p: number, g: number, m: number, v: number, ...scalars: number[]): void;
  sgd(bytes: number, p: number, g: number, b: number, ...scalars: number[]): void;
  sumOfSquares(bytes: number, values: number): number;
  polyak(bytes: number, target: number, online: number, tau: number, oneMinusTau: number): void;
}

let instance: Loops<Elementwise> | undefined;
const loops = () =>
  (instance ??= new Loops<Elementwise>([adamSource(), sgdSource(), sumOfSquaresSource(), polyakSource()]));

/** The scalars in the order in which `adam` takes them. */
export const adamScalars = (scalars: AdamScalars): number[] => {
  const values = { ...scalars, smallest: 2 ** -126 }; // the smallest normal float32
  return adamScalarOrder.map((name) => values[name]);
};

/** Adam or AdamW on one tensor, in place; the gradient is zero afterwards. All arrays have one length. */
export function adamInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  firstMoment: Float32Array,
  secondMoment: Float32Array,
  scalars: AdamScalars,
): void {
  const ordered = adamScalars(scalars);
  const arrays = [parameter, gradient, firstMoment, secondMoment].map((array) => ({ array }));
  loops().over(parameter.length, arrays, ({ adam }, count, p, g, m, v) => adam(count * 4, p, g, m, v, ...ordered));
}

/**
 * Stochastic gradient descent with momentum on one tensor, in place; the gradient is zero afterwards.
 * @param buffer the momentum; null where there is none (then `momentum` is 0)
 */
export function sgdInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  buffer: Float32Array | null,
  scalars: SgdScalars,
): void {
  const ordered = sgdScalarOrder.map((name) => scalars[name]);
  // Without a buffer the gradient, times a momentum of 0, is read in its place and is what becomes zero.
  const arrays = [parameter, gradient, ...(buffer ? [buffer] : [])].map((array) => ({ array }));
  loops().over(parameter.length, arrays, ({ sgd }, count, p, g, b = g) => sgd(count * 4, p, g, b, ...ordered));
}

/** Σ x², summed in float64. */
export function sumOfSquares(values: Float32Array): number {
  let sum = 0;
  loops().over(values.length, [{ array: values, readsOnly: true }], (loop, count, address) => {
    sum += loop.sumOfSquares(count * 4, address);
  });
  return sum;
}

/** target ← (1 − τ) · target + τ · online, in place. */
export function polyakInPlace(target: Float32Array, online: Float32Array, tau: number): void {
  const arrays = [{ array: target }, { array: online, readsOnly: true }];
  loops().over(target.length, arrays, ({ polyak }, count, to, from) => polyak(count * 4, to, from, tau, 1 - tau));
}
