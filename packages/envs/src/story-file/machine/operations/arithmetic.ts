// Implements the Z-machine's arithmetic, logic, shifts and random numbers on 16-bit words, signed in two's complement.
import { does, stores, type OperationTable } from './operation-spec.js';

export const arithmeticOperations: OperationTable = {
  8: stores((m, i) => m.save(i.store, m.value(i.a) | m.value(i.b))), // opcode or
  9: stores((m, i) => m.save(i.store, m.value(i.a) & m.value(i.b))), // opcode and
  20: stores((m, i) => m.save(i.store, (m.value(i.a) + m.value(i.b)) & 0xffff)), // opcode add
  21: stores((m, i) => m.save(i.store, (m.value(i.a) - m.value(i.b)) & 0xffff)), // opcode sub
  22: stores((m, i) => m.save(i.store, (m.signed(i.a) * m.signed(i.b)) & 0xffff)), // opcode mul
  23: stores((m, i) => {
    // opcode div, which rounds towards zero
    const [dividend, divisor] = [m.signed(i.a), m.signed(i.b)];
    if (divisor === 0) m.fail('divides by zero');
    m.save(i.store, Math.trunc(dividend / divisor) & 0xffff);
  }),
  24: stores((m, i) => {
    // opcode mod, whose result has the dividend's sign
    const [dividend, divisor] = [m.signed(i.a), m.signed(i.b)];
    if (divisor === 0) m.fail('takes a remainder by zero');
    m.save(i.store, (dividend % divisor) & 0xffff);
  }),
  133: does((m, i) => {
    const variable = m.value(i.a);
    m.poke(variable, (m.peek(variable) + 1) & 0xffff); // opcode inc
  }),
  134: does((m, i) => {
    const variable = m.value(i.a);
    m.poke(variable, (m.peek(variable) - 1) & 0xffff); // opcode dec
  }),
  231: stores((m, i) => {
    // opcode random: draws a number from 1 to n; n ≤ 0 begins a new sequence
    const range = m.signed(i.a);
    if (range <= 0) m.random.seedFromStory(-range);
    m.save(i.store, range > 0 ? m.random.draw(range) : 0);
  }),
  248: stores((m, i) => m.save(i.store, ~m.value(i.a) & 0xffff)), // opcode not
  // opcodes log_shift and art_shift: a positive number of places shifts to the left, a negative one to the right
  258: stores((m, i) => {
    const [number, places] = [m.value(i.a), m.signed(i.b)];
    m.save(i.store, (places >= 0 ? number << places : number >>> -places) & 0xffff);
  }),
  259: stores((m, i) => {
    const [number, places] = [m.signed(i.a), m.signed(i.b)];
    m.save(i.store, (places >= 0 ? number << places : number >> -places) & 0xffff);
  }),
};
