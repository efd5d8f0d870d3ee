// Assembles WebAssembly modules from the few instructions that elementwise loops over float32 arrays need, four elements at a
// time. V8 computes a float32 loop in JavaScript in float64, one element at a time; AdamW over 124 M parameters took 0.7 s in
// such a loop. Opcodes: https://webassembly.github.io/spec/core/binary/instructions.html

/** WebAssembly code that leaves one value on the stack (or none, if it is a statement). */
export type Code = readonly number[];

/** Encodes an unsigned integer in WebAssembly's LEB128 format. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value ? low | 0x80 : low);
  } while (value);
  return bytes;
}

/** Encodes a signed integer as LEB128. */
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

// The following operations work on four float32.
export const add = binary(0xe4);
export const sub = binary(0xe5);
export const mul = binary(0xe6);
export const div = binary(0xe7);
export const abs = unary(0xe0);
export const sqrt = unary(0xe3);
/** Sets all bits of a lane of the vector where a ≥ b, and none elsewhere. */
export const greaterOrEqual = binary(0x46);
export const and = binary(0x4e);
/** Copies one float32 to all four lanes. */
export const splat = unary(0x13);

/** Computes the larger number; of NaN and a number, the first operand (the operation that handles NaN takes six instructions). */
export const max = binary(0xeb);
export const or = binary(0x50);
/** Computes the bits of a that are not in b: |a| if b is −0. */
export const andNot = binary(0x4f);
/** Computes the largest of the four lanes. */
export const maxLane = (a: Code): Code => {
  const lanes = [0, 1, 2, 3].map((lane): Code => [...a, ...simd(0x1f), lane]);
  return lanes.reduce((x, y) => [...x, ...y, 0x97]);
};
export const constVector0: Code = [...simd(0x0c), ...Array.from({ length: 16 }, () => 0)];

// The following operations work on vectors of bytes and integers.
/** Loads eight bytes as eight 16-bit numbers, with sign or without. */
export const loadSignedBytes = (address: Code, ahead = 0): Code => [...address, ...simd(0x01), 0, ...leb(ahead)];
export const loadBytes = (address: Code, ahead = 0): Code => [...address, ...simd(0x02), 0, ...leb(ahead)];
/** Converts the lower (or upper) four of eight 16-bit numbers to float32. */
export const lowerToF32 = (a: Code): Code => [...a, ...simd(0xa7), ...simd(0xfa)];
export const upperToF32 = (a: Code): Code => [...a, ...simd(0xa8), ...simd(0xfa)];
export const subI32 = binary(0xb1);
/** Narrows two vectors of four 32-bit or eight 16-bit numbers to one of half the bits; numbers out of range are clamped. */
export const toI16 = binary(0x85);
export const toSignedBytes = binary(0x65);
export const toBytes = binary(0x66);

// The following operations work on two float64.
export const addF64 = binary(0xf0);
export const mulF64 = binary(0xf2);
/** Loads two float32 at `address + ahead` as float64. */
export const loadPromoted = (address: Code, ahead = 0): Code => [
  ...address,
  ...simd(0x5d),
  2,
  ...leb(ahead),
  ...simd(0x5f),
];
/** Adds the two float64 of a vector. */
export const sumLanes = (a: Code): Code => [...a, ...simd(0x21), 0, ...a, ...simd(0x21), 1, 0xa0];

export const local = (index: number): Code => [0x20, ...leb(index)];
export const setLocal = (index: number, value: Code): Code => [...value, 0x21, ...leb(index)];
/** Loads the 16 bytes at `address + ahead`, where address is i32 code and ahead a constant. */
export const load = (address: Code, ahead = 0): Code => [...address, ...simd(0x00), 2, ...leb(ahead)];
export const store = (address: Code, value: Code, ahead = 0): Code => [
  ...address,
  ...value,
  ...simd(0x0b),
  2,
  ...leb(ahead),
];

export const constI32 = (value: number): Code => [0x41, ...signedLeb(value)];
export const addI32 = (a: Code, b: Code): Code => [...a, ...b, 0x6a];

export const loadF32 = (address: Code): Code => [...address, 0x2a, 2, 0];
export const storeF32 = (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0];
export const constF32 = (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
export const divF32 = (a: Code, b: Code): Code => [...a, ...b, 0x95];
/** Computes the integer 1 where a > b, else 0. */
export const greaterF32 = (a: Code, b: Code): Code => [...a, ...b, 0x5e];
/** Returns `a` where `condition` is not 0, else `b`; both are computed. */
export const select = (condition: Code, a: Code, b: Code): Code => [...a, ...b, ...condition, 0x1b];

/** Makes the loop `do { body; offset += step } while (offset < end)`. */
export const loopBy = (step: number, offsetLocal: number, end: Code, body: Code): Code => [
  0x03,
  0x40,
  ...body,
  ...setLocal(offsetLocal, addI32(local(offsetLocal), constI32(step))),
  ...local(offsetLocal),
  ...end,
  0x49,
  0x0d,
  0x00,
  0x0b,
];

const typeCode = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
type ValueType = keyof typeof typeCode;

export interface FunctionSource {
  name: string;
  params: readonly ValueType[];
  result?: ValueType;
  /** The types of the locals, whose indices follow those of the parameters; their initial values are zero. */
  locals: readonly ValueType[];
  body: Code;
}

/** Makes a module that exports the given functions and imports its memory as `env.memory`. */
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
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0, // the magic "\0asm" and version 1
    ...section(1, vector(types)),
    ...section(2, vector([[...text('env'), ...text('memory'), 2, 0, 1]])), // a memory of at least one page
    ...section(3, vector(functions.map((_, i) => leb(i)))),
    ...section(7, vector(functions.map(({ name }, i) => [...text(name), 0, ...leb(i)]))),
    ...section(10, vector(bodies)),
  ]);
}
