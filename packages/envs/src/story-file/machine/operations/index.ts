// Collects the tables of all Z-machine operations, which differ by version, by the opcode number that `readForm` returns.
import { arithmeticOperations } from './arithmetic.js';
import { controlOperations, earlyControlOperations } from './control.js';
import { memoryOperations } from './memory.js';
import { objectOperations } from './objects.js';
import type { OperationSpec, OperationTable } from './operation-spec.js';
import { outputOperations } from './output.js';
import { earlySessionOperations, sessionOperations, version3SessionOperations } from './session.js';

export type { OperationSpec } from './operation-spec.js';

const fromVersion5: OperationTable = {
  ...arithmeticOperations,
  ...controlOperations,
  ...memoryOperations,
  ...objectOperations,
  ...outputOperations,
  ...sessionOperations,
};
const version4: OperationTable = { ...fromVersion5, ...earlyControlOperations, ...earlySessionOperations };
const version3: OperationTable = { ...version4, ...version3SessionOperations };

/** Returns the operation of an opcode; undefined if this version of the Z-machine has no such opcode. */
export function operationFor(code: number, version: number): OperationSpec | undefined {
  const table = version <= 3 ? version3 : version === 4 ? version4 : fromVersion5;
  return table[code];
}
