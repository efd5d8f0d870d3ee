// Errors of graph building, running and differentiation, with the facts as fields so that code need not parse messages.
import { formatShape } from './dims.js';
import type { Value } from './ir.js';

export const describeValue = (value: Value): string => `'${value.name}' ${value.dtype} ${formatShape(value.shape)}`;

/** Operands that do not fit an operator, detected while the graph is built. */
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

/** A gradient was requested through an operator that has no gradient rule. */
export class NotDifferentiableError extends Error {
  override readonly name = 'NotDifferentiableError';
}

/** Feeds, state bindings or fetches that do not fit a program. */
export class ProgramCallError extends Error {
  override readonly name = 'ProgramCallError';

  constructor(
    readonly program: string,
    problems: readonly string[],
  ) {
    super([`program '${program}' cannot run:`, ...problems.map((p) => `  ${p}`)].join('\n'));
  }
}

/** The device's worker failed, ended, or refused a request. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}
