// Exchanges gradients and parameters between the ranks of data-parallel training. The functions run in the worker thread of a
// device, so that the device's arrays are exchanged without a copy. Small tensors are sent in one message, since each message has
// a fixed cost.
import { openCollectives, type Collectives } from './collectives.js';

interface KernelTensor {
  readonly data: unknown;
}

type Tensors = Readonly<Record<string, KernelTensor>>;

/** The wall-clock time of an exchange between ranks, in milliseconds. */
interface ExchangeTime {
  /** The time that this rank waited until the slowest rank arrived. */
  wait: number;
  exchange: number;
}

/** The number of elements below which a tensor is packed into one message with other small tensors. */
const SMALL = 1 << 15;

/** Sums the gradients over all ranks, on every rank. */
export async function sumGradients({ states }: { states: { g: Tensors } }): Promise<ExchangeTime> {
  return timed((collectives) => {
    const [small, large] = bySize(arraysOf(states.g));
    for (const array of large) collectives.sum(array);
    packed(small, (values) => collectives.sum(values));
  });
}

/**
 * Sums each gradient over all ranks. The sum is stored at the rank that updates the parameter; on the other ranks the gradient
 * becomes zero.
 *
 * @param args.owners the rank that updates the parameter, for each tensor in the order of the state
 * @returns sums of squares of the summed gradients: of those at this rank, and of all
 */
export async function sumGradientsAtOwners({
  states,
  args,
}: {
  states: { g: Tensors };
  args: { owners: readonly number[]; rank: number };
}): Promise<ExchangeTime & { ownSquares: number; squares: number }> {
  const { owners, rank } = args;
  const arrays = arraysOf(states.g);
  const total = new Float64Array(1);
  let ownSquares = 0;
  const time = await timed((collectives) => {
    for (const [owner, mine] of ownedBy(arrays, owners)) {
      const [small, large] = bySize(mine);
      for (const array of large) collectives.sumAt(owner, array);
      packed(small, (values) => collectives.sumAt(owner, values));
      if (owner !== rank) for (const array of mine) array.fill(0);
      else for (const array of mine) ownSquares += squaresOf(array);
    }
    total[0] = ownSquares;
    collectives.sum(total);
  });
  return { ...time, ownSquares, squares: total[0] };
}

/** @param args.owners the rank that updated each parameter and sends it, as in `sumGradientsAtOwners` */
export async function shareParameters({
  states,
  args,
}: {
  states: { p: Tensors };
  args: { owners: readonly number[] };
}): Promise<ExchangeTime> {
  return timed((collectives) => {
    for (const [owner, mine] of ownedBy(arraysOf(states.p), args.owners)) {
      const [small, large] = bySize(mine);
      for (const array of large) collectives.broadcast(owner, array);
      packed(small, (values) => collectives.broadcast(owner, values));
    }
  });
}

async function timed(exchange: (collectives: Collectives) => void): Promise<ExchangeTime> {
  const collectives = await openCollectives();
  const begin = performance.now();
  collectives.barrier();
  const met = performance.now();
  exchange(collectives);
  return { wait: met - begin, exchange: performance.now() - met };
}

const arraysOf = (tensors: Tensors): Float32Array[] => Object.values(tensors).map(({ data }) => data as Float32Array);

function ownedBy(arrays: readonly Float32Array[], owners: readonly number[]): Map<number, Float32Array[]> {
  const groups = new Map<number, Float32Array[]>();
  arrays.forEach((array, i) => groups.set(owners[i], [...(groups.get(owners[i]) ?? []), array]));
  return new Map([...groups].sort(([a], [b]) => a - b));
}

function bySize(arrays: readonly Float32Array[]): [small: Float32Array[], large: Float32Array[]] {
  return [arrays.filter(({ length }) => length < SMALL), arrays.filter(({ length }) => length >= SMALL)];
}

/** Copies small arrays into one, runs `exchange` on it, and copies the result back, so that only one message is sent. */
function packed(arrays: readonly Float32Array[], exchange: (values: Float32Array) => void): void {
  if (arrays.length === 0) return;
  const values = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const array of arrays) {
    values.set(array, start);
    start += array.length;
  }
  exchange(values);
  start = 0;
  for (const array of arrays) array.set(values.subarray(start, (start += array.length)));
}

function squaresOf(array: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < array.length; i++) sum += array[i] * array[i];
  return sum;
}
