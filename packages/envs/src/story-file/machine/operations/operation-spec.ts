// The facts of an opcode that the decoder must know, and the short ways to write one down.
import type { Operation } from '../instruction.js';

export interface OperationSpec {
  execute: Operation;
  /** A quicker form for the common case of exactly two operands. */
  executeTwo?: Operation;
  /** A byte naming the result's variable follows the operands. */
  stores: boolean;
  /** A branch follows. */
  branches: boolean;
  /** A literal text follows. */
  hasText: boolean;
}

/** Opcode number → operation, for those versions that have it. */
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
