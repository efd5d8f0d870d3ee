// Draws random trials from a search space that is written in Hydra's override grammar: from lists, choice, range and glob one of
// their values, and from an interval a number between its ends.
import { ConfigError, type SweepDimension } from '@bowyer/config';
import { Rng } from '@bowyer/core';

/** The number of significant digits to which a drawn number is rounded. */
const DIGITS = 6;
/** The number of successive draws without a new trial after which the search space is considered used up. */
const MAX_REDRAWS = 1000;

/**
 * Draws trials: from a list of values uniformly; from `interval(a,b)` a uniform number; from `tag(log, interval(a,b))` a number
 * whose logarithm is uniform; from `int(interval(a,b))` an integer, with both ends included. No trial is drawn twice.
 *
 * @param seed of all draws; a larger number of trials with the same seed begins with the same trials
 * @returns the overrides of each trial; fewer trials than requested if the search space has no more points
 * @throws {ConfigError} where an interval is empty, or has no logarithm
 */
export function drawTrials(space: readonly SweepDimension[], trials: number, seed: number): string[][] {
  for (const dimension of space) refuseEmpty(dimension);
  const rng = Rng.forPurpose(seed, 'sweeper');
  const seen = new Set<string>();
  const drawn: string[][] = [];
  for (let redraws = 0; drawn.length < trials && redraws < MAX_REDRAWS;) {
    const trial = space.map((dimension) => drawOverride(dimension, rng));
    const id = JSON.stringify(trial);
    if (seen.has(id)) redraws++;
    else {
      seen.add(id);
      drawn.push(trial);
      redraws = 0;
    }
  }
  return drawn;
}

function drawOverride(dimension: SweepDimension, rng: Rng): string {
  if (dimension.kind === 'values') return rng.choice(dimension.texts);
  const { key, start, end, integer, tags } = dimension;
  const value = tags.includes('log') ? drawLog(start, end, integer, rng) : drawUniform(start, end, integer, rng);
  return `${key}=${integer ? value : floatText(value)}`;
}

function drawUniform(start: number, end: number, integer: boolean, rng: Rng): number {
  if (integer) return rng.integer(start, end);
  return rounded(start + rng.uniform() * (end - start), start, end);
}

/** exp(u), with u uniform in [ln a, ln b]. For integers ⌊exp(u)⌋ with u in [ln a, ln(b + 1)), so that b is drawn too. */
function drawLog(start: number, end: number, integer: boolean, rng: Rng): number {
  const [low, high] = [Math.log(start), Math.log(integer ? end + 1 : end)];
  const value = Math.exp(low + rng.uniform() * (high - low));
  return integer ? Math.min(end, Math.max(start, Math.floor(value))) : rounded(value, start, end);
}

const rounded = (value: number, start: number, end: number) =>
  Math.min(end, Math.max(start, Number(value.toPrecision(DIGITS))));

/** Writes a number so that the config reads it as a float even if it is an integer. */
const floatText = (value: number) => (Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value));

function refuseEmpty(dimension: SweepDimension): void {
  const { key } = dimension;
  if (dimension.kind === 'values') {
    if (dimension.texts.length > 0) return;
    throw new ConfigError('sweep', `'${key}' has no values to draw from`, ['check its range or glob'], {
      keyPath: key,
    });
  }
  const { start, end, tags } = dimension;
  if (!(Number.isFinite(start) && Number.isFinite(end) && start <= end)) {
    throw new ConfigError(
      'sweep',
      `'${key}': interval(${start},${end}) contains no number`,
      ['write the smaller end first'],
      {
        keyPath: key,
      },
    );
  }
  if (tags.includes('log') && start <= 0) {
    const remedy = ['take a start above 0, or leave out tag(log, …)'];
    throw new ConfigError('sweep', `'${key}': interval(${start},${end}) has no logarithm at its start`, remedy, {
      keyPath: key,
    });
  }
}
