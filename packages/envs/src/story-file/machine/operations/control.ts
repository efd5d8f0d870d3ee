import type { Instruction, Operation } from '../instruction.js';
import type { Machine } from '../machine.js';
import { branches, does, prints, stores, type OperationSpec, type OperationTable } from './operation-spec.js';

const jumpIfEqual: OperationSpec = {
  ...branches((m, i) => {
    const first = m.value(i.a);
    let isEqual = false;
    // All operands are read, even after one is equal, since reading the stack also pops it.
    for (let k = 1; k < i.operands.length; k++) if (m.value(i.operands[k]) === first) isEqual = true;
    m.branch(isEqual, i);
  }),
  executeTwo: (m, i) => m.branch(m.value(i.a) === m.value(i.b), i),
};

function changeAndCompare(m: Machine, i: Instruction, by: number): number {
  const variable = m.value(i.a);
  const changed = ((m.peek(variable) + by) << 16) >> 16;
  m.poke(variable, changed & 0xffff);
  return changed - m.signed(i.b);
}

const callAndStore: Operation = (m, i) => m.call(i.operands, i.store);
const callAndForget: Operation = (m, i) => m.call(i.operands, -1);

export const controlOperations: OperationTable = {
  1: jumpIfEqual,
  2: branches((m, i) => m.branch(m.signed(i.a) < m.signed(i.b), i)), // opcode jl
  3: branches((m, i) => m.branch(m.signed(i.a) > m.signed(i.b), i)), // opcode jg
  4: branches((m, i) => m.branch(changeAndCompare(m, i, -1) < 0, i)), // opcode dec_chk
  5: branches((m, i) => m.branch(changeAndCompare(m, i, 1) > 0, i)), // opcode inc_chk
  7: branches((m, i) => {
    const bits = m.value(i.a);
    const wanted = m.value(i.b);
    m.branch((bits & wanted) === wanted, i); // opcode test
  }),
  25: stores(callAndStore), // opcode call_2s
  26: does(callAndForget), // opcode call_2n
  28: does((m, i) => {
    const [value, frame] = [m.value(i.a), m.value(i.b)];
    m.unwindTo(frame); // opcode throw
    m.return(value);
  }),
  128: branches((m, i) => m.branch(m.value(i.a) === 0, i)), // opcode jz
  136: stores(callAndStore), // opcode call_1s
  139: does((m, i) => m.return(m.value(i.a))), // opcode ret
  140: does((m, i) => {
    m.pc = i.next + m.signed(i.a) - 2; // opcode jump
  }),
  143: does(callAndForget), // opcode call_1n
  176: does((m) => m.return(1)), // opcode rtrue
  177: does((m) => m.return(0)), // opcode rfalse
  179: prints((m, i) => {
    m.screen.print(`${i.text}\n`); // opcode print_ret
    m.return(1);
  }),
  180: does(() => undefined), // opcode nop
  184: does((m) => m.return(m.pop())), // opcode ret_popped
  185: stores((m, i) => m.save(i.store, m.frameCount)), // opcode catch
  224: stores(callAndStore), // opcode call_vs
  236: stores(callAndStore), // opcode call_vs2
  249: does(callAndForget), // opcode call_vn
  250: does(callAndForget), // opcode call_vn2
  255: branches((m, i) => m.branch(m.value(i.a) <= m.argumentCount, i)), // opcode check_arg_count
};

/** The opcodes 143 and 185, which have other meanings before version 5 of the Z-machine. */
export const earlyControlOperations: OperationTable = {
  143: stores((m, i) => m.save(i.store, ~m.value(i.a) & 0xffff)), // opcode not
  185: does((m) => {
    m.pop(); // opcode pop
  }),
};
