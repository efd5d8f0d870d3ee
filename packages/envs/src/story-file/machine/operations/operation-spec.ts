// Defines the type of a Z-machine operation, and helper functions to define one in a line.
import type { Operation } from '../instruction.js';

export interface OperationSpec {
  execute: Operation;
  /** An optional faster implementation for the case of exactly two operands. */
  executeTwo?: Operation;
  /** Whether the operation has a result. A byte with the number of the variable that receives it then follows the operands. */
  stores: boolean;
  branches: boolean;
  hasText: boolean;
}

/** Operations by opcode number, for those versions of the Z-machine that have them. */
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
