// Defines a decoded instruction: operation, operands, the variable of its result, and its branch.
// Source: Standards Document 1.1, section 4.
import type { Machine } from './machine.js';

export type Operation = (machine: Machine, instruction: Instruction) => void;

/** Branch targets that return from the routine instead of jumping (4.7.1). */
export const RETURN_FALSE = 0;
export const RETURN_TRUE = 1;

/**
 * An instruction. An operand is one number: a constant from 0 to 65535, or −1 − v for variable v, so that the sign distinguishes
 * them (`Machine.value` decodes it).
 */
export interface Instruction {
  /** The opcode, in the numbering of `readForm`. */
  readonly code: number;
  readonly execute: Operation;
  readonly next: number;
  readonly operands: readonly number[];
  /** The first three operands, or 0. Most operations need no more. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** The variable of the result; −1 without a result. */
  readonly store: number;
  readonly branchOn: boolean;
  /** The target address of the branch, or RETURN_FALSE or RETURN_TRUE; −1 without a branch. */
  readonly branchTo: number;
  /** The literal text of `print` and `print_ret`. */
  readonly text: string;
}
