// Defines the properties of an opcode that the decoder needs, and short functions to define one.
import type { Operation } from '../instruction.js';

export interface OperationSpec {
  execute: Operation;
  /** A faster implementation for exactly two operands. */
  executeTwo?: Operation;
  /** Whether a byte with the variable of the result follows the operands. */
  stores: boolean;
  branches: boolean;
  hasText: boolean;
}

/** The operations by opcode number, for those versions that have them. */
export type OperationTable = Readonly<Record<number, OperationSpec>>;

const plain = { stores: false, branches: false, hasText: false };

export const does = (execute: Operation): OperationSpec => ({ execute, ...plain });
export const stores = (execute: Operation): OperationSpec => ({ execute, ...plain, stores: true });
export const branches = (execute: Operation): OperationSpec => ({ execute, ...plain, branches: true });
export const storesAndBranches = (execute: Operation): OperationSpec => ({
  execute,
  ...plain,
  stores: true,
  branches: true,
});
export const prints = (execute: Operation): OperationSpec => ({ execute, ...plain, hasText: true });
