// Lists ranges in exact decimal steps, as a user of `range(0,1,0.1)` expects: all bounds are integer multiples of 10^-scale, so
// stepping is integer arithmetic.
import { Float, type Scalar } from '../node.js';
import { floatRepr, narrow } from '../python-text.js';
import { RangeSweep } from './value.js';

type Bound = number | bigint | Float;

/** The largest number of jobs of a sweep; a larger number is probably a typing mistake (`range(1e9)`). */
export const maximumSweepSize = 1_000_000;

interface Steps {
  readonly start: bigint;
  readonly step: bigint;
  readonly count: number;
  /** The number of decimal places in which the range is computed; -1 if start, stop and step are integers. */
  readonly scale: number;
}

/** Empty if the step has the wrong sign. @throws {RangeError} for step 0, an infinite bound, or too many values */
export function rangeValues(range: RangeSweep): Exclude<Scalar, string>[] {
  const { start, step, count, scale } = steps(range);
  return Array.from({ length: count }, (_, index) => unscale(start + BigInt(index) * step, scale));
}

export function reversedRange(range: RangeSweep): RangeSweep {
  const { start, step, count, scale } = steps(range);
  if (count <= 1) return range;
  const last = start + BigInt(count - 1) * step;
  const bounds = [last, start - step, -step].map((bound) => unscale(bound, scale));
  const reversed = new RangeSweep(bounds[0]!, bounds[1]!, bounds[2]!, range.shuffle);
  for (const tag of range.tags) reversed.tags.add(tag);
  return reversed;
}

export const isNegative = (bound: Bound) => (bound instanceof Float ? bound.value : bound) < 0;

function steps({ start, stop, step }: RangeSweep): Steps {
  const bounds = [start, stop, step].map(decimal);
  const whole = bounds.every(({ whole: isWhole }) => isWhole);
  const scale = bounds.reduce((most, { scale }) => Math.max(most, scale), 0);
  const [from, to, by] = bounds.map((bound) => bound.digits * 10n ** BigInt(scale - bound.scale)) as [
    bigint,
    bigint,
    bigint,
  ];
  if (by === 0n) throw new RangeError(`range's step must not be 0`);
  const distance = by > 0n ? to - from : from - to;
  const size = by > 0n ? by : -by;
  const count = distance <= 0n ? 0n : (distance + size - 1n) / size;
  if (count > BigInt(maximumSweepSize))
    throw new RangeError(`range gives ${count} values, more than ${maximumSweepSize}`);
  return { start: from, step: by, count: Number(count), scale: whole ? -1 : scale };
}

function decimal(bound: Bound): { digits: bigint; scale: number; whole: boolean } {
  if (!(bound instanceof Float)) return { digits: BigInt(bound), scale: 0, whole: true };
  const match = /^(-?\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(floatRepr(bound.value));
  if (!match) throw new RangeError(`range needs finite numbers, not ${floatRepr(bound.value)}`);
  const [, integer, fraction = '', exponent = '0'] = match;
  const digits = BigInt(integer! + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0
    ? { digits, scale, whole: false }
    : { digits: digits * 10n ** BigInt(-scale), scale: 0, whole: false };
}

function unscale(digits: bigint, scale: number): number | bigint | Float {
  if (scale < 0) return narrow(digits);
  return new Float(Number(`${digits}e-${scale}`));
}
