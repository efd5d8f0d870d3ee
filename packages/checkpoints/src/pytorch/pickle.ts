// Reads Python pickles without running code. Plain data are built here; imports are resolved by the caller, which knows the few
// names that weights need and refuses all others. Source: the opcodes of CPython's Lib/pickletools.py, protocols 0 to 5, that
// plain data and torch.save use.

/** A Python object: dict → Map; list, tuple and set → array; bytes → Uint8Array. */
export type PickleValue = unknown;

/** A function that stands for an imported name which the pickle calls. */
type PickleCallable = (...parameters: PickleValue[]) => PickleValue;

interface PickleWorld {
  /** Returns the function or value of an imported name. @throws for unknown names */
  find: (module: string, name: string) => unknown;
  /** Returns the object of a persistent id (in torch, a storage). */
  persistent: (id: PickleValue) => PickleValue;
}

/** The error for a pickle that is malformed, or uses what plain data never need. */
export class PickleError extends Error {
  override readonly name = 'PickleError';
}

/** Reads one pickle. @returns the object, and the offset after it */
export function readPickle(bytes: Uint8Array, start: number, world: PickleWorld): { value: PickleValue; end: number } {
  const machine = new PickleMachine(bytes, start, world);
  return { value: machine.run(), end: machine.position };
}

const MARK = Symbol('mark');

class PickleMachine {
  position: number;
  readonly #view: DataView;
  readonly #stack: PickleValue[] = [];
  readonly #memo = new Map<number, PickleValue>();

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
    private readonly world: PickleWorld,
  ) {
    this.position = start;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): PickleValue {
    for (;;) {
      const at = this.position;
      const opcode = String.fromCharCode(this.#bytes(1)[0]);
      if (opcode === '.') return this.#pop();
      const operation = operations[opcode];
      if (!operation)
        throw new PickleError(
          `byte ${at} of the pickle is the opcode 0x${opcode.charCodeAt(0).toString(16)}, which plain data does not use`,
        );
      operation(this.#operands);
    }
  }

  /** The input from which opcodes read their operands. */
  readonly #operands: Operands = {
    bytes: (length) => this.#bytes(length),
    number: (read, length) => {
      const at = this.position;
      this.#bytes(length);
      return read(this.#view, at);
    },
    line: () => this.#line(),
    push: (value) => void this.#stack.push(value),
    pop: () => this.#pop(),
    top: () => this.#top(),
    popToMark: () => this.#popToMark(),
    remember: (index) => void this.#memo.set(index ?? this.#memo.size, this.#top()),
    recall: (index) => {
      if (!this.#memo.has(index)) throw new PickleError(`the pickle refers to object ${index}, which it never stored`);
      this.#stack.push(this.#memo.get(index));
    },
    world: () => this.world,
  };

  #bytes(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.bytes.length) throw new PickleError(`the pickle ends at byte ${this.bytes.length}, before its stop`);
    const part = this.bytes.subarray(this.position, end);
    this.position = end;
    return part;
  }

  #line(): string {
    const end = this.bytes.indexOf(0x0a, this.position);
    if (end < 0) throw new PickleError('the pickle ends inside a line');
    const text = decode(this.#bytes(end - this.position));
    this.#bytes(1);
    return text;
  }

  #pop(): PickleValue {
    if (this.#stack.length === 0) throw new PickleError('the pickle pops from an empty stack');
    return this.#stack.pop();
  }

  #top(): PickleValue {
    if (this.#stack.length === 0) throw new PickleError('the pickle reads the top of an empty stack');
    return this.#stack.at(-1);
  }

  #popToMark(): PickleValue[] {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark < 0) throw new PickleError('the pickle has no mark where one is needed');
    return this.#stack.splice(mark).slice(1);
  }
}

interface Operands {
  bytes(length: number): Uint8Array;
  number(read: (view: DataView, at: number) => number, length: number): number;
  line(): string;
  push(value: PickleValue): void;
  pop(): PickleValue;
  top(): PickleValue;
  popToMark(): PickleValue[];
  remember(index?: number): void;
  recall(index: number): void;
  world(): PickleWorld;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const u8 = (o: Operands) => o.bytes(1)[0];
const u16 = (o: Operands) => o.number((view, at) => view.getUint16(at, true), 2);
const u32 = (o: Operands) => o.number((view, at) => view.getUint32(at, true), 4);
const u64 = (o: Operands) => o.number((view, at) => Number(view.getBigUint64(at, true)), 8);
const i32 = (o: Operands) => o.number((view, at) => view.getInt32(at, true), 4);
const f64 = (o: Operands) => o.number((view, at) => view.getFloat64(at, false), 8);

/** The largest size of an integer in bytes. Weights need no larger ones, and decoding one takes quadratic time. */
const LONGEST_INTEGER = 16;

/** Decodes a little-endian two's complement integer. */
function longFrom(bytes: Uint8Array): number {
  if (bytes.length > LONGEST_INTEGER) throw new PickleError(`the pickle has an integer of ${bytes.length} bytes`);
  let value = 0n;
  bytes.forEach((byte, i) => (value |= BigInt(byte) << BigInt(8 * i)));
  return Number(BigInt.asIntN(8 * bytes.length, value));
}

const operations: Readonly<Record<string, (o: Operands) => void>> = {
  // Opcodes that mark the protocol and frames, which are skipped
  '\x80': (o) => void o.bytes(1), // protocol number
  '\x95': (o) => void o.bytes(8), // frame length
  // Opcodes that push constants and numbers
  N: (o) => o.push(null),
  '\x88': (o) => o.push(true),
  '\x89': (o) => o.push(false),
  J: (o) => o.push(i32(o)),
  K: (o) => o.push(u8(o)),
  M: (o) => o.push(u16(o)),
  G: (o) => o.push(f64(o)),
  I: (o) => o.push(textNumber(o.line())),
  F: (o) => o.push(Number(o.line())),
  L: (o) => o.push(Number(o.line().replace(/L$/, ''))),
  '\x8a': (o) => o.push(longFrom(o.bytes(u8(o)))),
  '\x8b': (o) => o.push(longFrom(o.bytes(u32(o)))),
  // Opcodes that push strings and bytes
  X: (o) => o.push(decode(o.bytes(u32(o)))),
  '\x8c': (o) => o.push(decode(o.bytes(u8(o)))),
  '\x8d': (o) => o.push(decode(o.bytes(u64(o)))),
  T: (o) => o.push(decode(o.bytes(u32(o)))),
  U: (o) => o.push(decode(o.bytes(u8(o)))),
  B: (o) => o.push(o.bytes(u32(o)).slice()),
  C: (o) => o.push(o.bytes(u8(o)).slice()),
  '\x8e': (o) => o.push(o.bytes(u64(o)).slice()),
  // Opcodes that build lists, tuples, dicts and sets
  '(': (o) => o.push(MARK),
  '}': (o) => o.push(new Map()),
  ']': (o) => o.push([]),
  ')': (o) => o.push([]),
  '\x8f': (o) => o.push([]),
  t: (o) => o.push(o.popToMark()),
  l: (o) => o.push(o.popToMark()),
  d: (o) => o.push(intoMap(new Map(), o.popToMark())),
  '\x85': (o) => o.push([o.pop()]),
  '\x86': (o) => o.push([o.pop(), o.pop()].reverse()),
  '\x87': (o) => o.push([o.pop(), o.pop(), o.pop()].reverse()),
  s: (o) => {
    const [value, key] = [o.pop(), o.pop()];
    intoMap(o.top(), [key, value]);
  },
  u: (o) => {
    const items = o.popToMark();
    intoMap(o.top(), items);
  },
  a: (o) => {
    const item = o.pop();
    intoList(o.top(), [item]);
  },
  e: (o) => {
    const items = o.popToMark();
    intoList(o.top(), items);
  },
  '\x90': (o) => {
    const items = o.popToMark();
    intoList(o.top(), items);
  },
  // Opcodes that change the stack, or store and fetch objects in the memo
  '0': (o) => void o.pop(),
  '1': (o) => void o.popToMark(),
  '2': (o) => o.push(o.top()),
  q: (o) => o.remember(u8(o)),
  r: (o) => o.remember(u32(o)),
  p: (o) => o.remember(Number(o.line())),
  '\x94': (o) => o.remember(),
  h: (o) => o.recall(u8(o)),
  j: (o) => o.recall(u32(o)),
  g: (o) => o.recall(Number(o.line())),
  // Opcodes that import a name or call it
  c: (o) => {
    const [module, name] = [o.line(), o.line()];
    o.push(o.world().find(module, name));
  },
  '\x93': (o) => {
    const [name, module] = [String(o.pop()), String(o.pop())];
    o.push(o.world().find(module, name));
  },
  R: (o) => {
    const [parameters, callable] = [o.pop(), o.pop()];
    if (typeof callable !== 'function' || !Array.isArray(parameters))
      throw new PickleError('the pickle calls an object that is not callable');
    o.push((callable as PickleCallable)(...(parameters as PickleValue[])));
  },
  // The opcode that sets an object's attributes, which are ignored: a state dict only has its `_metadata` (version numbers).
  b: (o) => {
    o.pop();
    if (!(o.top() instanceof Map))
      throw new PickleError('the pickle sets the state of an object that is not a dictionary');
  },
  Q: (o) => o.push(o.world().persistent(o.pop())),
};

/** Parses a number in text form. Protocol 0 writes booleans as the lines 00 and 01. */
const textNumber = (line: string) => (line === '00' ? false : line === '01' ? true : Number(line));

function intoMap(target: PickleValue, items: PickleValue[]): Map<PickleValue, PickleValue> {
  if (!(target instanceof Map) || items.length % 2 !== 0)
    throw new PickleError('the pickle sets items of an object that is not a dictionary');
  for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1]);
  return target as Map<PickleValue, PickleValue>;
}

function intoList(target: PickleValue, items: PickleValue[]): void {
  if (!Array.isArray(target)) throw new PickleError('the pickle appends to an object that is not a list');
  for (const item of items) (target as PickleValue[]).push(item);
}
