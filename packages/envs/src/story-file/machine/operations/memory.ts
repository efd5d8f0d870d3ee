// Implements the Z-machine's operations on variables, the stack, arrays and tables in memory, and words of the dictionary.
import { Dictionary } from '../dictionary.js';
import { tokenise } from '../input.js';
import type { Machine } from '../machine.js';
import { does, stores, storesAndBranches, type OperationTable } from './operation-spec.js';

/** Copies bytes (opcode copy_table): forwards byte by byte for a negative size, else as if through a buffer. */
function copyTable(m: Machine, from: number, to: number, size: number): void {
  const length = Math.abs(size);
  if (to === 0) for (let k = 0; k < length; k++) m.setByte(from + k, 0);
  else if (size < 0) for (let k = 0; k < length; k++) m.setByte(to + k, m.byte(from + k));
  else m.memory.slice(from, from + length).forEach((byte, k) => m.setByte(to + k, byte));
}

/** Searches a table (opcode scan_table). @param form bit 7: fields are words, not bytes; bits 0 to 6: distance of fields */
function scanTable(m: Machine, wanted: number, table: number, length: number, form: number): number {
  const distance = form & 0x7f;
  for (let k = 0, at = table; k < length; k++, at += distance) {
    if ((form & 0x80 ? m.word(at) : m.byte(at)) === wanted) return at;
  }
  return 0;
}

export const memoryOperations: OperationTable = {
  13: does((m, i) => {
    const variable = m.value(i.a);
    m.poke(variable, m.value(i.b)); // opcode store
  }),
  15: stores((m, i) => m.save(i.store, m.word(m.value(i.a) + 2 * m.value(i.b)))), // opcode loadw
  16: stores((m, i) => m.save(i.store, m.byte(m.value(i.a) + m.value(i.b)))), // opcode loadb
  142: stores((m, i) => m.save(i.store, m.peek(m.value(i.a)))), // opcode load
  225: does((m, i) => {
    const address = m.value(i.a) + 2 * m.value(i.b);
    m.setWord(address & 0xffff, m.value(i.c)); // opcode storew
  }),
  226: does((m, i) => {
    const address = m.value(i.a) + m.value(i.b);
    m.setByte(address & 0xffff, m.value(i.c)); // opcode storeb
  }),
  232: does((m, i) => m.push(m.value(i.a))), // opcode push
  233: does((m, i) => {
    const variable = m.value(i.a);
    m.poke(variable, m.pop()); // opcode pull
  }),
  247: storesAndBranches((m, i) => {
    const [wanted, table, length] = [m.value(i.a), m.value(i.b), m.value(i.c)];
    const at = scanTable(m, wanted, table, length, i.operands.length > 3 ? m.value(i.operands[3]) : 0x82);
    m.save(i.store, at);
    m.branch(at !== 0, i);
  }),
  251: does((m, i) => {
    const [text, parse, address] = [m.value(i.a), m.value(i.b), m.value(i.c)];
    const keepUnknown = i.operands.length > 3 && m.value(i.operands[3]) !== 0;
    const dictionary = address === 0 ? m.dictionary : new Dictionary(m.story, m.text, m.memory, address);
    tokenise(m, dictionary, text, parse, keepUnknown);
  }),
  252: does((m, i) => {
    // opcode encode_text
    const [text, length, from, target] = i.operands.map((operand) => m.value(operand));
    const encoded = m.text.encode([...m.memory.subarray(text + from, text + from + length)]);
    encoded.forEach((byte, k) => m.setByte(target + k, byte));
  }),
  253: does((m, i) => {
    const [from, to] = [m.value(i.a), m.value(i.b)];
    copyTable(m, from, to, m.signed(i.c));
  }),
};
