import { deserialize, serialize } from 'node:v8';
import type { Ranks } from '@bowyer/core';
import { openCollectives, type Collectives } from './collectives.js';
import { launchOf, LIBRARY_VARIABLE, type Launch } from './launcher.js';
import { openLibrary, type MpiLibrary } from './library.js';

/**
 * The thread level MPI_THREAD_SERIALIZED: the main thread and the worker thread of a device call MPI, but never at the same time.
 */
const SERIALIZED = 2;
/** The number of bytes that are allocated for an MPI_Status, which has 24 bytes in Open MPI and 20 in MPICH. */
const STATUS_BYTES = 64;
/** The interval in milliseconds between polls that check whether the other ranks have arrived. The first polls have no pause. */
const POLL_MS = 1;
const EAGER_LOOKS = 20;

/** The processes that mpirun or srun has started together, seen from this process, which is one of the ranks. */
export class MpiRanks implements Ranks {
  readonly kernels = new URL('./kernels.js', import.meta.url);
  #apart = 0;
  readonly #ibarrier;
  readonly #test;

  private constructor(
    private readonly library: MpiLibrary,
    private readonly collectives: Collectives,
    private readonly own: { rank: number; size: number },
  ) {
    this.#ibarrier = library.call('MPI_Ibarrier', ['handle', 'void*']);
    this.#test = library.call('MPI_Test', ['void*', 'void*', 'void*']);
  }

  /** Initialises MPI. @throws if MPI reports another number of processes than the launcher */
  static async join(launch: Launch): Promise<MpiRanks> {
    const library = await openLibrary();
    const { call, handles, version } = library;
    const provided = new Int32Array(1);
    call('MPI_Init_thread', ['void*', 'void*', 'int', 'void*'])(null, null, SERIALIZED, provided);
    if (provided[0] < SERIALIZED)
      throw new Error(
        `${version} was built without support for several threads (level ${provided[0]}, needed ${SERIALIZED}: MPI_THREAD_SERIALIZED)\n` +
          `  name another library: ${LIBRARY_VARIABLE}=/path/to/libmpi.so`,
      );
    const [rank, size] = ['MPI_Comm_rank', 'MPI_Comm_size'].map((name) => {
      const number = new Int32Array(1);
      call(name, ['handle', 'void*'])(handles.world, number);
      return number[0];
    });
    if (size !== launch.size)
      throw new Error(
        `${launch.launcher} has started ${launch.size} processes, and ${version} finds ${size}: the library is not that of the launcher\n` +
          (launch.launcher === 'Slurm'
            ? '  tell srun how the library finds its ranks: srun --mpi=pmix, or --mpi=pmi2\n'
            : '') +
          `  or name the launcher's own library: ${LIBRARY_VARIABLE}=/path/to/libmpi.so`,
      );
    return new MpiRanks(library, await openCollectives(), { rank, size });
  }

  get rank(): number {
    return this.#apart > 0 ? 0 : this.own.rank;
  }

  get size(): number {
    return this.#apart > 0 ? 1 : this.own.size;
  }

  async barrier(): Promise<void> {
    if (this.size === 1) return;
    const request = new BigInt64Array(1);
    const flag = new Int32Array(1);
    const status = new Uint8Array(STATUS_BYTES);
    this.#ibarrier(this.library.handles.world, request);
    for (let looks = 0; ; looks++) {
      this.#test(request, flag, status);
      if (flag[0] !== 0) return;
      await new Promise<void>((resolve) =>
        looks < EAGER_LOOKS ? void setImmediate(resolve) : void setTimeout(resolve, POLL_MS),
      );
    }
  }

  sum(values: Float32Array | Float64Array): void {
    if (this.size > 1) this.collectives.sum(values);
  }

  gather<T>(value: T): T[] {
    if (this.size === 1) return [value];
    return this.collectives.gather(serialize(value), this.size).map((bytes) => deserialize(bytes) as T);
  }

  async apart<T>(work: () => Promise<T>): Promise<T> {
    this.#apart++;
    try {
      return await work();
    } finally {
      this.#apart--;
    }
  }

  /** Finalizes MPI after the last collective call. The process must then end. */
  finalize(): void {
    this.library.call('MPI_Finalize', [])();
  }

  /** Terminates the processes of all ranks at once, including this one. */
  abort(exitCode: number): void {
    this.library.call('MPI_Abort', ['handle', 'int'])(this.library.handles.world, exitCode);
  }
}

/** Returns the ranks of which this process is one; null if this process was started without mpirun or srun. */
export async function joinRanks(env: NodeJS.ProcessEnv = process.env): Promise<MpiRanks | null> {
  const launch = launchOf(env);
  return launch === null ? null : MpiRanks.join(launch);
}
