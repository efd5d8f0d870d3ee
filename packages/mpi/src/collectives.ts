// Wraps the collective operations of the MPI library (sum, broadcast, gather) in functions on typed arrays.
import { openLibrary, type MpiLibrary } from './library.js';

type Floats = Float32Array | Float64Array;

/** Collective operations. Every call blocks until all other ranks have made the same call. */
export interface Collectives {
  /** Replaces the values on every rank by their sum over all ranks. */
  sum(values: Floats): void;
  /** Sums the values over all ranks, and writes the sums to `values` on rank `root`; on other ranks `values` is unchanged. */
  sumAt(root: number, values: Floats): void;
  broadcast(root: number, values: Floats): void;
  barrier(): void;
  /** Returns the bytes of every rank, in the order of ranks; every rank sends `size` bytes. */
  gather(bytes: Uint8Array, size: number): Uint8Array[];
}

let opened: Promise<Collectives> | undefined;

/** Returns the collective operations of the MPI library. MPI may have been initialised by any thread of this process. */
export const openCollectives = (): Promise<Collectives> => (opened ??= openLibrary().then(collectivesOf));

const MAX_BYTES = 2 ** 31 - 1;

function collectivesOf({ handles, call }: MpiLibrary): Collectives {
  const { world, types, operations, inPlace } = handles;
  const typeOf = (values: Floats) => (values instanceof Float32Array ? types.float : types.double);
  const allreduce = call('MPI_Allreduce', ['void*', 'void*', 'int', 'handle', 'handle', 'handle']);
  const reduce = call('MPI_Reduce', ['void*', 'void*', 'int', 'handle', 'handle', 'int', 'handle']);
  const broadcast = call('MPI_Bcast', ['void*', 'int', 'handle', 'int', 'handle']);
  const barrier = call('MPI_Barrier', ['handle']);
  const allgather = call('MPI_Allgather', ['void*', 'int', 'handle', 'void*', 'int', 'handle', 'handle']);
  const allgatherv = call('MPI_Allgatherv', ['void*', 'int', 'handle', 'void*', 'void*', 'void*', 'handle', 'handle']);
  const rankOf = call('MPI_Comm_rank', ['handle', 'void*']);
  const rank = new Int32Array(1);
  rankOf(world, rank);
  return {
    sum: (values) => void allreduce(inPlace, values, values.length, typeOf(values), operations.sum, world),
    sumAt(root, values) {
      const [from, to] = rank[0] === root ? [inPlace, values] : [values, null];
      reduce(from, to, values.length, typeOf(values), operations.sum, root, world);
    },
    broadcast: (root, values) => void broadcast(values, values.length, typeOf(values), root, world),
    barrier: () => void barrier(world),
    gather(bytes, size) {
      const lengths = new Int32Array(size);
      allgather(Int32Array.of(bytes.length), 1, types.int, lengths, 1, types.int, world);
      const starts = new Int32Array(size);
      for (let r = 1; r < size; r++) starts[r] = starts[r - 1] + lengths[r - 1];
      const total = lengths.reduce((sum, length) => sum + length, 0);
      if (total > MAX_BYTES) throw new RangeError(`${total} bytes are more than one exchange of MPI can carry (2 GiB)`);
      const all = new Uint8Array(Math.max(total, 1));
      allgatherv(bytes, bytes.length, types.byte, all, lengths, starts, types.byte, world);
      return Array.from(lengths, (length, r) => all.subarray(starts[r], starts[r] + length));
    },
  };
}
