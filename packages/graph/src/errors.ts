// Defines the errors of graph building, running and differentiation, with details as fields so that code need not parse messages.
import { formatShape } from './dims.js';
import type { Value } from './ir.js';

export const describeValue = (value: Value): string => `'${value.name}' ${value.dtype} ${formatShape(value.shape)}`;

/** Thrown for operands that do not fit an operator, when the graph is built. */
export class GraphBuildError extends Error {
  override readonly name = 'GraphBuildError';

  constructor(
    readonly opType: string,
    readonly operands: readonly (Value | undefined)[],
    readonly problem: string,
  ) {
    super(
      [
        `${opType}: ${problem}`,
        ...operands.filter((v) => v !== undefined).map((v, i) => `  input ${i}: ${describeValue(v)}`),
      ].join('\n'),
    );
  }
}

/** Thrown if a gradient does not exist: no path leads to the value, or the path passes an operator without a gradient rule. */
export class NotDifferentiableError extends Error {
  override readonly name = 'NotDifferentiableError';
}

/** Thrown for feeds, state bindings or fetches that do not fit a program. */
export class ProgramCallError extends Error {
  override readonly name = 'ProgramCallError';

  constructor(
    readonly program: string,
    problems: readonly string[],
  ) {
    super([`program '${program}' cannot run:`, ...problems.map((p) => `  ${p}`)].join('\n'));
  }
}

/** Thrown if a device cannot be used, or if its worker failed, ended, or refused a request. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}
