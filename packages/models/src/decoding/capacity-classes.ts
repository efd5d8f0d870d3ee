// How many positions of the cache attention reads of each row. All rows have the capacity of the longest one, unless rows are so
// unequal that reading two capacities, those of long rows and those of short ones, saves more than the further products cost.

/** Neighbouring rows of one capacity, in positions. */
export interface CapacityClass {
  rows: number;
  capacity: number;
}

/** Capacities are multiples of this: moving all rows costs about one decoding step, and comes once in so many. */
export const CAPACITY_STEP = 32;

export const roundedCapacity = (positions: number) => Math.max(1, Math.ceil(positions / CAPACITY_STEP)) * CAPACITY_STEP;

/** A step must read less by this share of all positions, … */
const WORTH_SHARE = 1 / 4;

/** … and by so many bytes a layer: ten further nodes of the graph take as long as reading these. */
const WORTH_BYTES = 1 << 19;

/** Two capacities are kept while they make at most so much more to read than the best ones: others move rows. */
const KEPT_EXCESS = 1 / 8;

interface CapacityOptions {
  /** Bytes of keys and values of one position in one layer. */
  positionBytes: number;
  /** How many classes the graph has. */
  most: 1 | 2;
}

/**
 * Returns the capacities of a batch. The rule looks at sizes alone, so that equal runs calculate equal numbers.
 *
 * @param needed [rows] positions of each row, in its order
 * @param whole the capacity if all rows have the same
 * @param now capacities at present, or none
 */
export function capacityClasses(
  needed: readonly number[],
  whole: number,
  options: CapacityOptions,
  now: readonly CapacityClass[] = [],
): CapacityClass[] {
  const best = bestClasses(needed, options.most);
  const uniform = [{ rows: needed.length, capacity: whole }];
  const isUsable = now.length > 1 && now.length <= options.most && fits(now, needed);
  const mostKept = Math.min((1 + KEPT_EXCESS) * positionsOf(best), positionsOf(uniform));
  if (isUsable && positionsOf(now) <= mostKept) return [...now];
  return isWorth(positionsOf(uniform) - positionsOf(best), positionsOf(uniform), options) ? best : uniform;
}

/** Returns whether rows of these lengths, ordered by `longRowsFirst`, have two capacities. */
export function areUnequal(lengths: readonly number[], options: Pick<CapacityOptions, 'positionBytes'>): boolean {
  const whole = roundedCapacity(largest(lengths));
  return capacityClasses(descending(lengths), whole, { ...options, most: 2 }).length > 1;
}

/**
 * Finds exchanges of rows after which long rows come first.
 *
 * @returns pairs of rows to exchange, one pair after the other; none where that saves too little
 */
export function longRowsFirst(needed: readonly number[], options: CapacityOptions): [number, number][] {
  if (options.most === 1) return [];
  const [best, present] = [descending(needed), needed].map((lengths) => bestClasses(lengths, 2));
  if (!isWorth(positionsOf(present) - positionsOf(best), positionsOf(present), options)) return [];
  const [{ rows, capacity }, other] = best;
  const isLong = (row: number) => needed[row] > (other?.capacity ?? capacity);
  const misplaced = [...needed.keys()].filter((row) => row < rows && !isLong(row));
  const late = [...needed.keys()].filter((row) => row >= rows && isLong(row));
  return late.map((row, i) => [misplaced[i], row]);
}

const descending = (lengths: readonly number[]) => [...lengths].sort((a, b) => b - a);

const positionsOf = (classes: readonly CapacityClass[]) =>
  classes.reduce((sum, { rows, capacity }) => sum + rows * capacity, 0);

const isWorth = (saved: number, all: number, { positionBytes }: Pick<CapacityOptions, 'positionBytes'>) =>
  saved >= WORTH_SHARE * all && saved * positionBytes >= WORTH_BYTES;

/** Finds the division into at most so many classes that reads least. */
function bestClasses(needed: readonly number[], most: 1 | 2): CapacityClass[] {
  const whole = roundedCapacity(largest(needed));
  let best: CapacityClass[] = [{ rows: needed.length, capacity: whole }];
  if (most === 1) return best;
  const rest = needed.map(() => 0); // [row] the most that a row from here on needs
  for (let row = needed.length - 1; row >= 0; row--) rest[row] = Math.max(needed[row], rest[row + 1] ?? 0);
  for (let rows = 1, first = needed[0]; rows < needed.length; first = Math.max(first, needed[rows++])) {
    const split = [
      { rows, capacity: roundedCapacity(first) },
      { rows: needed.length - rows, capacity: roundedCapacity(rest[rows]) },
    ];
    if (positionsOf(split) < positionsOf(best)) best = split;
  }
  return best;
}

function fits(classes: readonly CapacityClass[], needed: readonly number[]): boolean {
  let from = 0;
  return classes.every(({ rows, capacity }) => largest(needed.slice(from, (from += rows))) <= capacity);
}

/** Returns the largest value, as core's `maximum` does, which the workers do not load. */
export const largest = (values: ArrayLike<number>): number => {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
};
