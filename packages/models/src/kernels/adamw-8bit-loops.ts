// AdamW on blocks of 256 weights whose moments are 8-bit codes, as WebAssembly: codes to values by table, the step of
// elementwise-simd.ts four at a time, and back to codes by the table of dynamic-quantization.ts.
import type { WasmMemory } from '@bowyer/graph';
import { blockLength, dynamicCode, type DynamicCode } from './dynamic-quantization.js';
import { adamScalarOrder, adamScalars, type AdamScalars } from './elementwise-simd.js';
import { Loops } from './loop-memory.js';
import {
  abs,
  add,
  addI32,
  and,
  constI32,
  constVector0,
  div,
  greaterF32,
  greaterOrEqual,
  inverseOrZero,
  largestLane,
  load,
  loadByte,
  loadF32,
  loadI32,
  local,
  loopBy,
  max,
  mul,
  setLocal,
  shiftLeft,
  shiftRight,
  splat,
  sqrt,
  store,
  storeByte,
  storeF32,
  sub,
  type Code,
  type FunctionSource,
} from './simd-assembler.js';

/** Where the tables and one block's moments lie, in bytes. */
const places = {
  first: { values: 0, map: 4096, halfways: 6144, firstCodes: 8192 },
  second: { values: 1024, map: 5120, halfways: 7168, firstCodes: 8192 + 65_536 },
};
type Places = (typeof places)['first'];

/** Each scalar loop takes so many elements at a time. */
const UNROLLED = 4;
const steps = Array.from({ length: UNROLLED }, (_, i) => i);

/**
 * adam8(elements, parameter, gradient, first codes, second codes, first scales, second scales, ...scalars), `elements` a
 * multiple of 256; the gradient becomes zero.
 */
function adam8Source(): FunctionSource {
  const count = adamScalarOrder.length;
  const firstVector = 7 + count;
  const scalar = Object.fromEntries(adamScalarOrder.map((name, i) => [name, local(firstVector + i)]));
  const [elements, p, g, m, v, mScale, vScale] = [0, 1, 2, 3, 4, 5, 6];
  const [block, i, code, ...vectors] = Array.from({ length: 12 }, (_, at) => firstVector + count + at);
  const [gradient, moment, second, firstMost, secondMost, factor, secondFactor] = vectors;

  const each = (step: number, end: number, body: Code): Code => [
    ...setLocal(i, constI32(0)),
    ...loopBy(step, i, constI32(end), body),
  ];
  /** values[i] ← map[codes[i]] */
  const decode = (codes: number, at: Places): Code =>
    each(
      UNROLLED,
      blockLength,
      steps.flatMap((ahead) =>
        storeF32(
          addI32(shiftLeft(local(i), 2), constI32(at.values + 4 * ahead)),
          loadF32(shiftLeft(loadByte(addI32(local(codes), local(i)), ahead), 2), at.map),
        ),
      ),
    );
  /** codes[i] ← the nearest: that of the upper 16 bits, or one more. */
  const encode = (codes: number, at: Places): Code =>
    each(
      UNROLLED,
      blockLength,
      steps.flatMap((ahead) => {
        const value = shiftLeft(local(i), 2);
        const from = at.values + 4 * ahead;
        return [
          ...setLocal(code, loadByte(shiftRight(loadI32(value, from), 16), at.firstCodes)),
          ...storeByte(
            addI32(local(codes), local(i)),
            addI32(local(code), greaterF32(loadF32(value, from), loadF32(shiftLeft(local(code), 2), at.halfways))),
            ahead,
          ),
        ];
      }),
    );
  // As in elementwise-simd.ts: moments that are no normal numbers become zero.
  const flush = (value: Code, index: number): Code => [
    ...setLocal(index, value),
    ...setLocal(index, and(local(index), greaterOrEqual(abs(local(index)), scalar.smallest))),
  ];
  const [pAt, gAt] = [p, g].map((address) => addI32(local(address), local(i)));
  const [mAt, vAt] = [places.first.values, places.second.values].map((base) => addI32(local(i), constI32(base)));
  const squared = mul(local(gradient), local(gradient));
  const step: Code = [
    ...setLocal(gradient, mul(load(gAt), scalar.gradientScale)),
    ...flush(add(mul(mul(load(mAt), local(factor)), scalar.beta1), mul(local(gradient), scalar.oneMinusBeta1)), moment),
    ...flush(add(mul(mul(load(vAt), local(secondFactor)), scalar.beta2), mul(squared, scalar.oneMinusBeta2)), second),
    ...setLocal(firstMost, max(local(firstMost), abs(local(moment)))),
    ...setLocal(secondMost, max(local(secondMost), local(second))),
    ...store(gAt, constVector0),
    ...store(mAt, local(moment)),
    ...store(vAt, local(second)),
    ...store(
      pAt,
      sub(
        mul(load(pAt), scalar.keep),
        div(mul(local(moment), scalar.stepSize), add(mul(sqrt(local(second)), scalar.secondMomentScale), scalar.eps)),
      ),
    ),
  ];
  const advance = (address: number, by: number) => setLocal(address, addI32(local(address), constI32(by)));
  return {
    name: 'adam8',
    params: [...Array.from({ length: 7 }, () => 'i32' as const), ...adamScalarOrder.map(() => 'f32' as const)],
    locals: [...adamScalarOrder.map(() => 'v128' as const), 'i32', 'i32', 'i32', ...vectors.map(() => 'v128' as const)],
    body: [
      ...adamScalarOrder.flatMap((_, at) => setLocal(firstVector + at, splat(local(7 + at)))),
      ...loopBy(blockLength, block, local(elements), [
        ...decode(m, places.first),
        ...decode(v, places.second),
        ...setLocal(factor, splat(loadF32(local(mScale)))),
        ...setLocal(secondFactor, splat(loadF32(local(vScale)))),
        ...[firstMost, secondMost].flatMap((most) => setLocal(most, constVector0)),
        ...each(16, 4 * blockLength, step),
        ...storeF32(local(mScale), largestLane(local(firstMost))),
        ...storeF32(local(vScale), largestLane(local(secondMost))),
        ...setLocal(factor, splat(inverseOrZero(loadF32(local(mScale))))),
        ...setLocal(secondFactor, splat(inverseOrZero(loadF32(local(vScale))))),
        ...each(16, 4 * blockLength, [
          ...store(mAt, mul(load(mAt), local(factor))),
          ...store(vAt, mul(load(vAt), local(secondFactor))),
        ]),
        ...encode(m, places.first),
        ...encode(v, places.second),
        ...[p, g].flatMap((address) => advance(address, 4 * blockLength)),
        ...[m, v].flatMap((address) => advance(address, blockLength)),
        ...[mScale, vScale].flatMap((address) => advance(address, 4)),
      ]),
    ],
  };
}

interface Adam8Loops {
  adam8(elements: number, ...addressesAndScalars: number[]): void;
}

function writeTables({ buffer }: WasmMemory): void {
  const { first, second } = dynamicCodes();
  for (const [code, at] of [
    [first, places.first],
    [second, places.second],
  ] as const) {
    new Float32Array(buffer, at.map, 256).set(code.map);
    new Float32Array(buffer, at.halfways, 256).set(code.halfways);
    new Uint8Array(buffer, at.firstCodes, 65_536).set(code.firstCodes);
  }
}

let codes: { first: DynamicCode; second: DynamicCode } | undefined;
/** The maps of the first moments (signed) and of the second ones. */
export const dynamicCodes = () => (codes ??= { first: dynamicCode(true), second: dynamicCode(false) });

let instance: Loops<Adam8Loops> | undefined;

export interface QuantizedMoments {
  /** Codes, one for each parameter, and scales, one for each 256 of them. */
  first: { codes: Uint8Array; scales: Float32Array };
  second: { codes: Uint8Array; scales: Float32Array };
}

/** AdamW's step on the whole blocks of one tensor, in place; the gradient is zero afterwards. @returns how many elements those are */
export function adamW8bitInPlace(
  parameter: Float32Array,
  gradient: Float32Array,
  { first, second }: QuantizedMoments,
  scalars: AdamScalars,
): number {
  const whole = parameter.length - (parameter.length % blockLength);
  const ordered = adamScalars(scalars);
  instance ??= new Loops<Adam8Loops>([adam8Source()], writeTables);
  const arrays = [
    ...[parameter, gradient, first.codes, second.codes].map((array) => ({ array })),
    ...[first.scales, second.scales].map((array) => ({ array, per: blockLength })),
  ];
  instance.over(whole, arrays, ({ adam8 }, count, ...addresses) => adam8(count, ...addresses, ...ordered));
  return whole;
}
