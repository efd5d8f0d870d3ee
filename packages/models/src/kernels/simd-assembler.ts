// A WebAssembly assembler just large enough for elementwise loops over float32 arrays, four elements at a time.
// Why: V8 computes a float32 loop in float64, one element at a time; AdamW over 124 M parameters took 0.7 s as such a loop.
// Opcodes: https://webassembly.github.io/spec/core/binary/instructions.html

/** Machine code that leaves one value on the stack (or none, for a statement). */
export type Code = readonly number[];

/** Unsigned LEB128, the integer encoding of WebAssembly. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value ? low | 0x80 : low);
  } while (value);
  return bytes;
}

/** Signed LEB128. */
function signedLeb(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    if ((value === 0 && !(low & 0x40)) || (value === -1 && low & 0x40)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const simd = (opcode: number) => [0xfd, ...leb(opcode)];
const binary =
  (opcode: number) =>
  (a: Code, b: Code): Code => [...a, ...b, ...simd(opcode)];
const unary =
  (opcode: number) =>
  (a: Code): Code => [...a, ...simd(opcode)];

// Four float32 side by side.
export const add = binary(0xe4);
export const sub = binary(0xe5);
export const mul = binary(0xe6);
export const div = binary(0xe7);
export const abs = unary(0xe0);
export const sqrt = unary(0xe3);
/** All bits set where a ≥ b. */
export const greaterOrEqual = binary(0x46);
export const and = binary(0x4e);
/** One float32 to all four places. */
export const splat = unary(0x13);

export const max = binary(0xe9);
/** The largest of the four. */
export const largestLane = (a: Code): Code => {
  const lanes = [0, 1, 2, 3].map((lane): Code => [...a, ...simd(0x1f), lane]);
  return lanes.reduce((x, y) => [...x, ...y, 0x97]);
};
/** Four zeros. */
export const constVector0: Code = [...simd(0x0c), ...Array.from({ length: 16 }, () => 0)];

// Two float64 side by side.
export const addF64 = binary(0xf0);
export const mulF64 = binary(0xf2);
/** The lower two float32 as float64. */
export const promoteLow = unary(0x5f);
/** The upper two float32 moved to the lower places. */
export const upperHalf = (a: Code): Code => [
  ...a,
  ...a,
  ...simd(0x0d),
  ...Array.from({ length: 16 }, (_, byte) => (byte + 8) % 16),
];
/** First plus second float64. */
export const sumLanes = (a: Code): Code => [...a, ...simd(0x21), 0, ...a, ...simd(0x21), 1, 0xa0];

export const local = (index: number): Code => [0x20, ...leb(index)];
export const setLocal = (index: number, value: Code): Code => [...value, 0x21, ...leb(index)];
/** The 16 bytes at `address + ahead`: i32 code and a constant. */
export const load = (address: Code, ahead = 0): Code => [...address, ...simd(0x00), 2, ...leb(ahead)];
export const store = (address: Code, value: Code): Code => [...address, ...value, ...simd(0x0b), 2, 0];

// Addresses and whole numbers.
export const constI32 = (value: number): Code => [0x41, ...signedLeb(value)];
export const addI32 = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
/** a · 2ⁿ, and ⌊a / 2ⁿ⌋ of a number without sign. */
export const shiftLeft = (a: Code, n: number): Code => [...a, ...constI32(n), 0x74];
export const shiftRight = (a: Code, n: number): Code => [...a, ...constI32(n), 0x76];

// One number in memory, at `address + ahead`.
export const loadI32 = (address: Code, ahead = 0): Code => [...address, 0x28, 2, ...leb(ahead)];
export const loadF32 = (address: Code, ahead = 0): Code => [...address, 0x2a, 2, ...leb(ahead)];
export const loadByte = (address: Code, ahead = 0): Code => [...address, 0x2d, 0, ...leb(ahead)];
export const storeF32 = (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0];
export const storeByte = (address: Code, value: Code, ahead = 0): Code => [
  ...address,
  ...value,
  0x3a,
  0,
  ...leb(ahead),
];
/** 1 where a > b, else 0: a whole number. */
export const greaterF32 = (a: Code, b: Code): Code => [...a, ...b, 0x5e];
/** 1 / a, and 0 for an a that is not above 0. */
export const inverseOrZero = (a: Code): Code => [
  ...[...constF32(1), ...a, 0x95],
  ...constF32(0),
  ...greaterF32(a, constF32(0)),
  0x1b,
];
const constF32 = (value: 0 | 1): Code => [0x43, 0, 0, value ? 0x80 : 0, value ? 0x3f : 0];

/** `do { body; offset += step } while (offset < end)`. */
export const loopBy = (step: number, offsetLocal: number, end: Code, body: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...setLocal(offsetLocal, addI32(local(offsetLocal), constI32(step))),
  ...local(offsetLocal),
  ...end,
  ...[0x49, 0x0d, 0x00, 0x0b],
];

const typeCode = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
export type ValueType = keyof typeof typeCode;

export interface FunctionSource {
  name: string;
  params: readonly ValueType[];
  result?: ValueType;
  /** Locals behind the parameters, in order; all begin as zero. */
  locals: readonly ValueType[];
  body: Code;
}

/** A module that exports the given functions and works on a memory which it imports as `env.memory`. */
export function assembleModule(functions: readonly FunctionSource[]): Uint8Array<ArrayBuffer> {
  const vector = (items: readonly Code[]) => [...leb(items.length), ...items.flat()];
  const section = (id: number, content: Code) => [id, ...leb(content.length), ...content];
  const text = (s: string) => vector([...new TextEncoder().encode(s)].map((byte) => [byte]));
  const types = functions.map(({ params, result }) => [
    0x60,
    ...vector(params.map((type) => [typeCode[type]])),
    ...vector(result ? [[typeCode[result]]] : []),
  ]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...vector(locals.map((type) => [1, typeCode[type]])), ...body, 0x0b];
    return [...leb(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...section(1, vector(types)),
    ...section(2, vector([[...text('env'), ...text('memory'), 2, 0, 1]])), // of at least one page
    ...section(3, vector(functions.map((_, i) => leb(i)))),
    ...section(7, vector(functions.map(({ name }, i) => [...text(name), 0, ...leb(i)]))),
    ...section(10, vector(bodies)),
  ]);
}
