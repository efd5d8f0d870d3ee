// Implements the Z-machine's operations for input, for saving and restoring, and for the end of the game.
import type { Instruction } from '../instruction.js';
import type { Machine, MachineSnapshot } from '../machine.js';
import { branches, does, stores, type OperationSpec, type OperationTable } from './operation-spec.js';

/** The number of states that the game's command UNDO can restore. Older states are dropped. */
const MAX_UNDO_STATES = 16;

/** Reports how saving ended, by a branch in version 3, else by a number. @param result 0: failed, 1: saved, 2: just restored */
function report(m: Machine, i: Instruction, result: number): void {
  if (i.store >= 0) m.save(i.store, result);
  else m.branch(result !== 0, i);
}

/** Restores a snapshot (opcode restore). The game continues after the instruction that saved it, as if saving had returned 2. */
function resume(m: Machine, snapshot: MachineSnapshot, saving: Instruction): void {
  const keptFlags = m.memory[0x11] & 0b11;
  const random = m.random.save();
  m.restore(snapshot);
  m.random.restore(random); // the random sequence continues: a restored game must not repeat its random numbers
  m.memory[0x11] = (m.memory[0x11] & ~0b11) | keptFlags;
  report(m, saving, 2);
}

/** The instruction that made each snapshot and says where the result is stored when the snapshot is restored. */
const savedBy = new WeakMap<MachineSnapshot, Instruction>();

function snapshotFor(m: Machine, i: Instruction): MachineSnapshot {
  const snapshot = m.snapshot();
  savedBy.set(snapshot, i);
  return snapshot;
}

const saveGame = (m: Machine, i: Instruction) => {
  m.savedGame = snapshotFor(m, i);
  report(m, i, 1);
};

const restoreGame = (m: Machine, i: Instruction) => {
  const saving = m.savedGame === null ? undefined : savedBy.get(m.savedGame);
  if (m.savedGame === null || saving === undefined) report(m, i, 0);
  else resume(m, m.savedGame, saving);
};

/** Wraps an operation on the whole game. With operands, a part of the memory is meant: not supported, so the result is 0. */
const wholeGameOnly =
  (execute: (m: Machine, i: Instruction) => void) =>
  (m: Machine, i: Instruction): void => {
    if (i.operands.length === 0) execute(m, i);
    else {
      i.operands.forEach((operand) => m.value(operand));
      report(m, i, 0);
    }
  };

const readLine: OperationSpec['execute'] = (m, i) => {
  const [textBuffer, parseBuffer = 0] = i.operands.map((operand) => m.value(operand));
  m.stop('line', { kind: 'line', textBuffer, parseBuffer, store: i.store });
};

export const sessionOperations: OperationTable = {
  183: does((m) => {
    m.restart();
  }),
  186: does((m) => m.stop('halted')), // opcode quit
  189: branches((m, i) => m.branch(m.story.checksum() === m.story.word(0x1c), i)), // opcode verify
  191: branches((m, i) => m.branch(true, i)), // opcode piracy: an interpreter should be "gullible" and report a genuine copy
  228: stores(readLine),
  244: does((m, i) => void m.value(i.a)), // opcode input_stream: there is only the keyboard
  245: does((m, i) => void i.operands.forEach((operand) => m.value(operand))), // opcode sound_effect
  246: stores((m, i) => {
    i.operands.forEach((operand) => m.value(operand));
    m.stop('key', { kind: 'key', textBuffer: 0, parseBuffer: 0, store: i.store }); // opcode read_char
  }),
  256: stores(wholeGameOnly(saveGame)),
  257: stores(wholeGameOnly(restoreGame)),
  265: stores((m, i) => {
    // opcode save_undo, whose result −1 reports to the game that UNDO is not supported
    if (m.hasUndo) {
      m.undoStates.push(snapshotFor(m, i));
      if (m.undoStates.length > MAX_UNDO_STATES) m.undoStates.shift();
    }
    m.save(i.store, m.hasUndo ? 1 : 0xffff);
  }),
  266: stores((m, i) => {
    // opcode restore_undo
    const state = m.hasUndo ? m.undoStates.pop() : undefined;
    const saving = state === undefined ? undefined : savedBy.get(state);
    if (state === undefined || saving === undefined) m.save(i.store, 0);
    else resume(m, state, saving);
  }),
};

/** The operations that differ in version 4: 181 and 182 save, restore and store a result; reading a line (228) stores nothing. */
export const earlySessionOperations: OperationTable = {
  181: stores(saveGame),
  182: stores(restoreGame),
  228: does(readLine),
};

/** The operations that differ in version 3, in which saving and restoring branch on success. */
export const version3SessionOperations: OperationTable = {
  181: branches(saveGame),
  182: branches(restoreGame),
};
