// Decodes an instruction of the Z-machine: operation, operands, result variable and branch. Source: The Z-Machine Standards
// Document 1.1, section 4.
import { RETURN_FALSE, RETURN_TRUE, type Instruction, type Operation } from './instruction.js';
import type { Machine } from './machine.js';
import { operationFor, type OperationSpec } from './operations/index.js';

/** The types of operands, each coded in two bits (section 4.2 of the standard). */
const LARGE_CONSTANT = 0;
const SMALL_CONSTANT = 1;
const VARIABLE = 2;
const OMITTED = 3;

/** Reads bytes and 16-bit words from successive addresses of the memory. */
class Reader {
  constructor(
    private readonly memory: Uint8Array,
    public at: number,
  ) {}

  byte(): number {
    return this.memory[this.at++];
  }

  word(): number {
    return (this.byte() << 8) | this.byte();
  }
}

export function decodeInstruction(machine: Machine, address: number): Instruction {
  const reader = new Reader(machine.memory, address);
  const { code, types } = readForm(reader, machine.story.version);
  const spec = operationFor(code, machine.story.version);
  if (spec === undefined)
    return machine.fail(`there is no opcode ${code} in version ${machine.story.version}, address ${address}`);
  const operands = types.map((type) => readOperand(reader, type));
  const store = spec.stores ? reader.byte() : -1;
  const branch = spec.branches ? readBranch(reader) : NO_BRANCH;
  let text = '';
  if (spec.hasText) {
    const decoded = machine.text.decode(machine.memory, reader.at);
    text = decoded.text;
    reader.at = decoded.end;
  }
  const next = reader.at;
  return {
    code,
    execute: specialise(spec, operands),
    next,
    operands,
    a: operands[0] ?? 0,
    b: operands[1] ?? 0,
    c: operands[2] ?? 0,
    store,
    branchOn: branch.branchOn,
    branchTo: branch === NO_BRANCH ? -1 : branchTarget(next, branch.offset),
    text,
  };
}

const NO_BRANCH = { branchOn: false, offset: 0 };

const branchTarget = (next: number, offset: number): number =>
  offset === RETURN_FALSE || offset === RETURN_TRUE ? offset : next + offset - 2;

const specialise = (spec: OperationSpec, operands: readonly number[]): Operation =>
  operands.length === 2 && spec.executeTwo !== undefined ? spec.executeTwo : spec.execute;

/**
 * Reads an opcode and the types of its operands. The standard has five forms of opcodes; here they share one numbering, as in the
 * standard's tables: 2OP 0…31, 1OP 128…143, 0OP 176…191, VAR 224…255, EXT from 256 up.
 */
function readForm(reader: Reader, version: number): { code: number; types: number[] } {
  const first = reader.byte();
  if (first === 0xbe && version >= 5) return { code: 256 + reader.byte(), types: readTypes(reader, 1) };
  if (first < 0x80) {
    const type = (bit: number) => (first & bit ? VARIABLE : SMALL_CONSTANT);
    return { code: first & 31, types: [type(0x40), type(0x20)] };
  }
  if (first < 0xc0) {
    const type = (first >> 4) & 3;
    return type === OMITTED ? { code: first, types: [] } : { code: 128 + (first & 15), types: [type] };
  }
  const isDouble = first === 0xec || first === 0xfa; // call_vs2 and call_vn2 take up to eight operands
  const types = readTypes(reader, isDouble ? 2 : 1);
  return { code: first < 0xe0 ? first & 31 : first, types };
}

function readTypes(reader: Reader, byteCount: number): number[] {
  const types: number[] = [];
  for (let i = 0; i < byteCount; i++) {
    const byte = reader.byte();
    for (let shift = 6; shift >= 0; shift -= 2) types.push((byte >> shift) & 3);
  }
  const end = types.indexOf(OMITTED);
  return end < 0 ? types : types.slice(0, end);
}

function readOperand(reader: Reader, type: number): number {
  if (type === LARGE_CONSTANT) return reader.word();
  return type === SMALL_CONSTANT ? reader.byte() : -1 - reader.byte();
}

function readBranch(reader: Reader): { branchOn: boolean; offset: number } {
  const first = reader.byte();
  const branchOn = first >= 0x80;
  if (first & 0x40) return { branchOn, offset: first & 63 };
  const offset = ((first & 63) << 8) | reader.byte();
  return { branchOn, offset: (offset << 18) >> 18 };
}
