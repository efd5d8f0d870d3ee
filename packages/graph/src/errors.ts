// Errors of graph building, running and differentiation, with the facts as fields so that code need not parse messages.
import { formatShape } from './dims.js';
import type { Value } from './ir.js';

export const describeValue = (value: Value): string => `'${value.name}' ${value.dtype} ${formatShape(value.shape)}`;

/** The error for operands that do not fit an operator, detected while the graph is built. */
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

/** The error for a gradient that does not exist: no path leads there, or it passes an operator without a gradient rule. */
export class NotDifferentiableError extends Error {
  override readonly name = 'NotDifferentiableError';
}

/** The error for feeds, state bindings or fetches that do not fit a program. */
export class ProgramCallError extends Error {
  override readonly name = 'ProgramCallError';

  constructor(
    readonly program: string,
    problems: readonly string[],
  ) {
    super([`program '${program}' cannot run:`, ...problems.map((p) => `  ${p}`)].join('\n'));
  }
}

/** The error for a device that cannot be used, or whose worker failed, ended, or refused a request. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}
