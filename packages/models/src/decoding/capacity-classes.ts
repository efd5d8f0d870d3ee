// Decides for how many positions each row of a KV cache has room; attention reads a row's whole capacity. All rows have that of
// the longest one, unless two capacities save more time than the additional matrix products take.

/** Neighbouring rows of a cache with the same capacity, in positions. */
export interface CapacityClass {
  rows: number;
  capacity: number;
}

/** Capacities are multiples of this. Exceeding one moves all rows, which costs about one decoding step. */
export const CAPACITY_STEP = 32;

export const roundedCapacity = (positions: number) => Math.max(1, Math.ceil(positions / CAPACITY_STEP)) * CAPACITY_STEP;

/** Two capacities instead of one must save at least this share of all positions, … */
const WORTH_SHARE = 1 / 4;

/** … and at least this number of bytes per layer, which take as long to read as ten further nodes of the graph take to run. */
const WORTH_BYTES = 1 << 19;

/** The share by which the current two capacities may exceed the best ones before they are changed, since a change moves rows. */
const KEPT_EXCESS = 1 / 8;

interface CapacityOptions {
  /** The size in bytes of the keys and values of one position in one layer. */
  positionBytes: number;
  /** The number of different capacities that the graph supports. */
  most: 1 | 2;
}

/**
 * Returns the capacities for a batch. They depend on lengths and sizes alone, so that repeated runs compute the same numbers.
 *
 * @param needed [rows] positions that each row needs
 * @param whole the capacity if all rows have the same one
 * @param now the current capacities; may be empty
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

/** Returns whether rows of these lengths would have two capacities if the long rows came first. */
export function areUnequal(lengths: readonly number[], options: Pick<CapacityOptions, 'positionBytes'>): boolean {
  const whole = roundedCapacity(largest(lengths));
  return capacityClasses(descending(lengths), whole, { ...options, most: 2 }).length > 1;
}

/**
 * Finds swaps of rows, in order, after which long rows come first, so that they can have a capacity of their own; none if two
 * capacities would save too little.
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

/** Finds the division of rows into at most `most` classes with which attention reads the fewest positions. */
function bestClasses(needed: readonly number[], most: 1 | 2): CapacityClass[] {
  const whole = roundedCapacity(largest(needed));
  let best: CapacityClass[] = [{ rows: needed.length, capacity: whole }];
  if (most === 1) return best;
  const rest = needed.map(() => 0); // [row] the largest need of this row and all later rows
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

/** Returns the largest value, like `maximum` of @bowyer/core, which worker threads do not load. */
export const largest = (values: ArrayLike<number>): number => {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
};
