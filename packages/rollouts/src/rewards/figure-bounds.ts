// Checks that reported rewards and metrics are not too large, since sums and squares of large finite numbers can be infinite.
import { LARGEST_REWARD } from '@bowyer/core';
import { BadRequestError } from '@bowyer/serving';

/** The largest allowed magnitude of a metric. Statistics compute its square in float64. */
const LARGEST_FIGURE = 1e100;

/** Checks a reported reward. @throws {BadRequestError} for a reward, or a component of one, that is not finite or too large */
export function checkReward(value: number, isComponent: boolean): void {
  if (isComponent) checkFigure('the component of a reward', value, 'value');
  else if (!(Math.abs(value) <= LARGEST_REWARD))
    throw new BadRequestError(
      `a reward is a finite number from -${LARGEST_REWARD} to ${LARGEST_REWARD}, not ${value}: scale it`,
      'value',
    );
}

/** Checks reported metrics. @throws {BadRequestError} for a metric that is not finite or too large */
export function checkMetrics(metrics: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(metrics)) checkFigure(`the metric '${name}'`, value, name);
}

function checkFigure(what: string, value: number, field: string): void {
  if (Math.abs(value) <= LARGEST_FIGURE) return;
  throw new BadRequestError(
    `${what} is ${value}; it must be a finite number from -${LARGEST_FIGURE} to ${LARGEST_FIGURE}`,
    field,
  );
}
