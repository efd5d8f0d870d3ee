// The loops that touch every parameter, as WebAssembly SIMD: Adam's and SGD's update, a sum of squares, Polyak averaging.
// A chunk of each array is copied into the module's small memory (it stays in the processor's cache), changed there
// and copied back, so the arrays themselves may live anywhere. The copies cost less than V8's scalar loop would.
import {
  abs,
  add,
  addF64,
  and,
  assembleModule,
  div,
  greaterOrEqual,
  load,
  local,
  loopBy16,
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

/** Elements of one array that are worked on at once. */
const chunkLength = 8192;
const chunkBytes = chunkLength * 4;

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

/** adam(end, ...scalars): parameters, gradients, first and second moments stand one chunk after the other. */
function adamSource(): FunctionSource {
  const count = adamScalarOrder.length;
  const firstVector = 1 + count; // locals behind the parameters: one vector for each scalar, then these
  const [offset, gradient, moment, second, parameter] = [0, 1, 2, 3, 4].map((i) => firstVector + count + i);
  const scalar = Object.fromEntries(adamScalarOrder.map((name, i) => [name, local(firstVector + i)]));
  const [p, g, m, v] = [0, 1, 2, 3].map((index) => index * chunkBytes);
  const at = (base: number) => load(base, local(offset));
  // Subnormal moments (of embedding rows whose word has not been seen for long) are 100 times slower: they become zero.
  const flush = (value: readonly number[], index: number) => [
    ...setLocal(index, value),
    ...setLocal(index, and(local(index), greaterOrEqual(abs(local(index)), scalar.smallest))),
  ];
  return {
    name: 'adam',
    params: ['i32', ...adamScalarOrder.map(() => 'f32' as const)],
    locals: [...adamScalarOrder.map(() => 'v128' as const), 'i32', 'v128', 'v128', 'v128', 'v128'],
    body: [
      ...adamScalarOrder.flatMap((_, i) => setLocal(firstVector + i, splat(local(1 + i)))),
      ...loopBy16(offset, local(0), [
        ...setLocal(parameter, at(p)),
        ...setLocal(gradient, add(mul(at(g), scalar.gradientScale), mul(local(parameter), scalar.l2))),
        ...flush(add(mul(at(m), scalar.beta1), mul(local(gradient), scalar.oneMinusBeta1)), moment),
        ...flush(
          add(mul(at(v), scalar.beta2), mul(mul(local(gradient), local(gradient)), scalar.oneMinusBeta2)),
          second,
        ),
        ...store(m, local(offset), local(moment)),
        ...store(v, local(offset), local(second)),
        ...store(
          p,
          local(offset),
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

/** sgd(end, ...scalars): parameters, gradients and momentum buffers stand one chunk after the other. */
function sgdSource(): FunctionSource {
  const count = sgdScalarOrder.length;
  const firstVector = 1 + count;
  const [offset, parameter, gradient, buffer] = [0, 1, 2, 3].map((i) => firstVector + count + i);
  const scalar = Object.fromEntries(sgdScalarOrder.map((name, i) => [name, local(firstVector + i)]));
  const [p, g, b] = [0, 1, 2].map((index) => index * chunkBytes);
  const at = (base: number) => load(base, local(offset));
  const direction = add(mul(local(gradient), scalar.gradientShare), mul(local(buffer), scalar.bufferShare));
  return {
    name: 'sgd',
    params: ['i32', ...sgdScalarOrder.map(() => 'f32' as const)],
    locals: [...sgdScalarOrder.map(() => 'v128' as const), 'i32', 'v128', 'v128', 'v128'],
    body: [
      ...sgdScalarOrder.flatMap((_, i) => setLocal(firstVector + i, splat(local(1 + i)))),
      ...loopBy16(offset, local(0), [
        ...setLocal(parameter, at(p)),
        ...setLocal(gradient, add(mul(at(g), scalar.gradientScale), mul(local(parameter), scalar.l2))),
        ...setLocal(buffer, add(mul(at(b), scalar.momentum), local(gradient))),
        ...store(b, local(offset), local(buffer)),
        ...store(p, local(offset), sub(local(parameter), mul(direction, scalar.lr))),
      ]),
    ],
  };
}

/** sumOfSquares(end) of the first chunk, in float64; two running sums, so that an addition need not wait for the last. */
function sumOfSquaresSource(): FunctionSource {
  const [end, offset, lowerSum, upperSum, values, pair] = [0, 1, 2, 3, 4, 5];
  const addSquares = (sum: number, half: readonly number[]) => [
    ...setLocal(pair, promoteLow(half)),
    ...setLocal(sum, addF64(local(sum), mulF64(local(pair), local(pair)))),
  ];
  return {
    name: 'sumOfSquares',
    params: ['i32'],
    result: 'f64',
    locals: ['i32', 'v128', 'v128', 'v128', 'v128'],
    body: [
      ...loopBy16(offset, local(end), [
        ...setLocal(values, load(0, local(offset))),
        ...addSquares(lowerSum, local(values)),
        ...addSquares(upperSum, upperHalf(local(values))),
      ]),
      ...setLocal(lowerSum, addF64(local(lowerSum), local(upperSum))),
      ...sumLanes(local(lowerSum)),
    ],
  };
}

/** polyak(end, tau): first chunk ← (1 − τ) · first + τ · second. */
function polyakSource(): FunctionSource {
  const [end, tau, offset, tauVector, oneMinusTau] = [0, 1, 3, 4, 5];
  const [target, online] = [0, chunkBytes];
  return {
    name: 'polyak',
    params: ['i32', 'f32', 'f32'],
    locals: ['i32', 'v128', 'v128'],
    body: [
      ...setLocal(tauVector, splat(local(tau))),
      ...setLocal(oneMinusTau, splat(local(2))),
      ...loopBy16(
        offset,
        local(end),
        store(
          target,
          local(offset),
          add(mul(load(target, local(offset)), local(oneMinusTau)), mul(load(online, local(offset)), local(tauVector))),
        ),
      ),
    ],
  };
}

interface Kernels {
  memory: { buffer: ArrayBuffer };
  adam(end: number, ...scalars: number[]): void;
  sgd(end: number, ...scalars: number[]): void;
  sumOfSquares(end: number): number;
  polyak(end: number, tau: number, oneMinusTau: number): void;
}

/** What is used of a global that neither ES2023 nor @types/node declares. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

function instantiate() {
  const pages = Math.ceil((4 * chunkBytes) / 65_536);
  const module = new WebAssembly.Module(
    assembleModule([adamSource(), sgdSource(), sumOfSquaresSource(), polyakSource()], pages),
  );
  const kernels = new WebAssembly.Instance(module).exports as Kernels;
  const chunks = [0, 1, 2, 3].map((i) => new Float32Array(kernels.memory.buffer, i * chunkBytes, chunkLength));
  return { kernels, chunks };
}

let instance: ReturnType<typeof instantiate> | undefined;
const loaded = () => (instance ??= instantiate());

/** Adam or AdamW on one tensor, in place; the gradient is zero afterwards. All arrays have one length. */
export function adamInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  firstMoment: Float32Array,
  secondMoment: Float32Array,
  scalars: AdamScalars,
): void {
  const { kernels, chunks } = loaded();
  const values = { ...scalars, smallest: 2 ** -126 }; // the smallest normal float32
  const ordered = adamScalarOrder.map((name) => values[name]);
  const arrays = [parameter, gradient, firstMoment, secondMoment];
  for (let begin = 0; begin < parameter.length; begin += chunkLength) {
    const count = Math.min(chunkLength, parameter.length - begin);
    arrays.forEach((array, i) => chunks[i].set(array.subarray(begin, begin + count)));
    kernels.adam(count * 4, ...ordered);
    gradient.fill(0, begin, begin + count);
    for (const i of [0, 2, 3]) arrays[i].set(count === chunkLength ? chunks[i] : chunks[i].subarray(0, count), begin);
  }
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
  const { kernels, chunks } = loaded();
  const ordered = sgdScalarOrder.map((name) => scalars[name]);
  const arrays = buffer ? [parameter, gradient, buffer] : [parameter, gradient];
  if (!buffer) chunks[2].fill(0); // 0 · NaN of an earlier use would be NaN
  for (let begin = 0; begin < parameter.length; begin += chunkLength) {
    const count = Math.min(chunkLength, parameter.length - begin);
    arrays.forEach((array, i) => chunks[i].set(array.subarray(begin, begin + count)));
    kernels.sgd(count * 4, ...ordered);
    gradient.fill(0, begin, begin + count);
    for (const i of buffer ? [0, 2] : [0])
      arrays[i].set(count === chunkLength ? chunks[i] : chunks[i].subarray(0, count), begin);
  }
}

/** Σ x², summed in float64. */
export function sumOfSquares(values: Float32Array): number {
  const { kernels, chunks } = loaded();
  let sum = 0;
  for (let begin = 0; begin < values.length; begin += chunkLength) {
    const count = Math.min(chunkLength, values.length - begin);
    chunks[0].set(values.subarray(begin, begin + count));
    if (count % 4) chunks[0].fill(0, count, count + 4); // the loop works on four at a time
    sum += kernels.sumOfSquares(count * 4);
  }
  return sum;
}

/** target ← (1 − τ) · target + τ · online, in place. */
export function polyakInPlace(target: Float32Array, online: Float32Array, tau: number): void {
  const { kernels, chunks } = loaded();
  for (let begin = 0; begin < target.length; begin += chunkLength) {
    const count = Math.min(chunkLength, target.length - begin);
    chunks[0].set(target.subarray(begin, begin + count));
    chunks[1].set(online.subarray(begin, begin + count));
    kernels.polyak(count * 4, tau, 1 - tau);
    target.set(count === chunkLength ? chunks[0] : chunks[0].subarray(0, count), begin);
  }
}
