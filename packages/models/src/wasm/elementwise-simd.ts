// Runs loops over a model's parameters in WebAssembly SIMD: the updates of Adam and SGD, a sum of squares, Polyak averaging.
// Gradients and moments are in a WebAssembly memory (graph/src/device/host-memory.ts) and processed in place; loop-memory.ts
// copies other arrays.
import { loopFunction } from './loop-function.js';
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
  loadPromoted,
  local,
  loopBy,
  mul,
  mulF64,
  setLocal,
  sqrt,
  store,
  sub,
  sumLanes,
  type Code,
  type FunctionSource,
} from './simd-assembler.js';

/** The numbers of one Adam step that are the same for every parameter. */
export interface AdamScalars {
  /** The factor of every gradient, from clipping by global norm. */
  gradientScale: number;
  beta1: number;
  beta2: number;
  // These two are computed in float64, since 1 − 0.999 in float32 has a relative error of 5 · 10⁻⁵.
  oneMinusBeta1: number;
  oneMinusBeta2: number;
  /** lr / (1 − β₁ᵗ) */
  stepSize: number;
  /** 1 / √(1 − β₂ᵗ) */
  secondMomentScale: number;
  eps: number;
  /** Adam's L2 penalty: l2 · p is added to the gradient. */
  l2: number;
  /** The factor of the parameter before the step: 1 − lr · weightDecay (AdamW's decoupled decay). */
  keep: number;
}

const adamScalarOrder = [
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

/** adam(bytes, parameter, gradient, first moment, second moment, ...scalars): one step; sets the gradient to zero. */
const adam = loopFunction(
  'adam',
  {
    whole: ['bytes', 'p', 'g', 'm', 'v'],
    scalars: adamScalarOrder,
    counters: ['offset'],
    vectors: ['parameter', 'gradient', 'moment', 'second'],
  },
  ({ at, scalar }) => {
    const [p, g, m, v] = [at.p, at.g, at.m, at.v].map((address) => addI32(local(address), local(at.offset)));
    const [parameter, gradient, moment, second] = [at.parameter, at.gradient, at.moment, at.second].map(local);
    // Subnormal moments, as of embedding rows unread for long, would take 100 times as long; they are set to zero.
    const flush = (index: number, value: Code) => [
      ...setLocal(index, value),
      ...setLocal(index, and(local(index), greaterOrEqual(abs(local(index)), scalar.smallest))),
    ];
    return loopBy(16, at.offset, local(at.bytes), [
      ...setLocal(at.parameter, load(p)),
      ...setLocal(at.gradient, add(mul(load(g), scalar.gradientScale), mul(parameter, scalar.l2))),
      ...flush(at.moment, add(mul(load(m), scalar.beta1), mul(gradient, scalar.oneMinusBeta1))),
      ...flush(at.second, add(mul(load(v), scalar.beta2), mul(mul(gradient, gradient), scalar.oneMinusBeta2))),
      ...store(g, constVector0),
      ...store(m, moment),
      ...store(v, second),
      ...store(
        p,
        sub(
          mul(parameter, scalar.keep),
          div(mul(moment, scalar.stepSize), add(mul(sqrt(second), scalar.secondMomentScale), scalar.eps)),
        ),
      ),
    ]);
  },
);

/** The numbers of one SGD step; the new parameter is p − lr · (gradientShare · g + bufferShare · b). */
const sgdScalarOrder = ['gradientScale', 'l2', 'momentum', 'lr', 'gradientShare', 'bufferShare'] as const;
export type SgdScalars = Record<(typeof sgdScalarOrder)[number], number>;

/** Declares sgd(bytes, parameter, gradient, momentum buffer, ...scalars), one step of SGD; it sets the gradient to zero. */
const sgd = loopFunction(
  'sgd',
  {
    whole: ['bytes', 'p', 'g', 'b'],
    scalars: sgdScalarOrder,
    counters: ['offset'],
    vectors: ['parameter', 'gradient', 'buffer'],
  },
  ({ at, scalar }) => {
    const [p, g, b] = [at.p, at.g, at.b].map((address) => addI32(local(address), local(at.offset)));
    const [parameter, gradient, buffer] = [at.parameter, at.gradient, at.buffer].map(local);
    const direction = add(mul(gradient, scalar.gradientShare), mul(buffer, scalar.bufferShare));
    return loopBy(16, at.offset, local(at.bytes), [
      ...setLocal(at.parameter, load(p)),
      ...setLocal(at.gradient, add(mul(load(g), scalar.gradientScale), mul(parameter, scalar.l2))),
      ...setLocal(at.buffer, add(mul(load(b), scalar.momentum), gradient)),
      ...store(b, buffer),
      ...store(g, constVector0), // comes last, since without momentum g is the buffer too
      ...store(p, sub(parameter, mul(direction, scalar.lr))),
    ]);
  },
);

/** Declares polyak(bytes, target, online, tau, 1 − tau), which computes target ← (1 − τ) · target + τ · online. */
const polyak = loopFunction(
  'polyak',
  { whole: ['bytes', 'target', 'online'], scalars: ['tau', 'oneMinusTau'], counters: ['offset'], vectors: [] },
  ({ at, scalar }) => {
    const [target, online] = [at.target, at.online].map((address) => addI32(local(address), local(at.offset)));
    const blend = add(mul(load(target), scalar.oneMinusTau), mul(load(online), scalar.tau));
    return loopBy(16, at.offset, local(at.bytes), store(target, blend));
  },
);

/** Declares sumOfSquares(bytes, values), which sums in float64, with four running sums, so that additions need not wait for each other. */
const sumOfSquaresLoop: FunctionSource = {
  ...loopFunction(
    'sumOfSquares',
    {
      whole: ['bytes', 'address'],
      scalars: [],
      counters: ['offset'],
      vectors: ['pair', 'sum0', 'sum1', 'sum2', 'sum3'],
    },
    ({ at }) => {
      const sums = [at.sum0, at.sum1, at.sum2, at.sum3];
      const addSquares = (sum: number, ahead: number) => [
        ...setLocal(at.pair, loadPromoted(addI32(local(at.address), local(at.offset)), ahead)),
        ...setLocal(sum, addF64(local(sum), mulF64(local(at.pair), local(at.pair)))),
      ];
      return [
        ...loopBy(
          32,
          at.offset,
          local(at.bytes),
          sums.flatMap((sum, i) => addSquares(sum, 8 * i)),
        ),
        ...setLocal(
          sums[0],
          sums.map(local).reduce((a, b) => addF64(a, b)),
        ),
        ...sumLanes(local(sums[0])),
      ];
    },
  ),
  result: 'f64',
};

interface Elementwise {
  adam(bytes: number, p: number, g: number, m: number, v: number, ...scalars: number[]): void;
  sgd(bytes: number, p: number, g: number, b: number, ...scalars: number[]): void;
  sumOfSquares(bytes: number, values: number): number;
  polyak(bytes: number, target: number, online: number, tau: number, oneMinusTau: number): void;
}

let instance: Loops<Elementwise> | undefined;
const loops = () => (instance ??= new Loops<Elementwise>([adam, sgd, sumOfSquaresLoop, polyak]));

const adamScalars = (scalars: AdamScalars): number[] => {
  const values = { ...scalars, smallest: 2 ** -126 }; // the smallest normal float32
  return adamScalarOrder.map((name) => values[name]);
};

/** Updates one tensor by Adam or AdamW in place, and sets the gradient to zero. All arrays have the same length. */
export function adamInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  firstMoment: Float32Array,
  secondMoment: Float32Array,
  scalars: AdamScalars,
): void {
  const ordered = adamScalars(scalars);
  const arrays = [parameter, gradient, firstMoment, secondMoment].map((array) => ({ array }));
  loops().over(parameter.length, arrays, (loop, count, p, g, m, v) => loop.adam(count * 4, p, g, m, v, ...ordered));
}

/** Updates one tensor by SGD with momentum in place, and sets the gradient to zero; `buffer` null means a momentum of 0. */
export function sgdInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  buffer: Float32Array | null,
  scalars: SgdScalars,
): void {
  const ordered = sgdScalarOrder.map((name) => scalars[name]);
  // Without a buffer, the loop reads the gradient as the buffer, times a momentum of 0, and sets it to zero at the end.
  const arrays = [parameter, gradient, ...(buffer ? [buffer] : [])].map((array) => ({ array }));
  loops().over(parameter.length, arrays, (loop, count, p, g, b = g) => loop.sgd(count * 4, p, g, b, ...ordered));
}

/** Computes Σ x², summed in float64. */
export function sumOfSquares(values: Float32Array): number {
  let sum = 0;
  loops().over(values.length, [{ array: values, readsOnly: true }], (loop, count, address) => {
    sum += loop.sumOfSquares(count * 4, address);
  });
  return sum;
}

/** Updates target ← (1 − τ) · target + τ · online, in place. */
export function polyakInPlace(target: Float32Array, online: Float32Array, tau: number): void {
  const arrays = [{ array: target }, { array: online, readsOnly: true }];
  loops().over(target.length, arrays, (loop, count, to, from) => loop.polyak(count * 4, to, from, tau, 1 - tau));
}
