// Defines a decoded instruction of the Z-machine. Source: The Z-Machine Standards Document 1.1, section 4.
import type { Machine } from './machine.js';

export type Operation = (machine: Machine, instruction: Instruction) => void;

/** The values of a branch's target that do not jump, but return from the routine with 0 or 1 (section 4.7.1 of the standard). */
export const RETURN_FALSE = 0;
export const RETURN_TRUE = 1;

/** A decoded instruction. An operand is a constant from 0 to 65535, or −1 − v for the variable v; `Machine.value` decodes it. */
export interface Instruction {
  /** The number of the opcode, as `readForm` in decoder.ts numbers them. */
  readonly code: number;
  readonly execute: Operation;
  readonly next: number;
  readonly operands: readonly number[];
  /** The first three operands, or 0 for a missing one; separate members for speed, since most operations have no more. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** The variable that receives the result; −1 if the instruction has no result. */
  readonly store: number;
  readonly branchOn: boolean;
  /** The address to which the branch jumps, or RETURN_FALSE or RETURN_TRUE; −1 if the instruction has no branch. */
  readonly branchTo: number;
  /** The text of the opcodes `print` and `print_ret`, which is stored in the instruction. */
  readonly text: string;
}
