// Declares the processes of a data-parallel run. All execute the same program on the same numbers; only expensive work is
// divided: episodes among the ranks that play them, rows of a batch among the ranks that compute them. Results are exchanged
// immediately.

/** This process among those of the run. Its methods are collective: every rank must make the same calls in the same order. */
export interface Ranks {
  /** The index of this process, from 0; 0 within `apart`. */
  readonly rank: number;
  /** The number of processes of the run; 1 within `apart`. */
  readonly size: number;
  /** Waits until every rank has made this call. This process's event loop continues meanwhile. */
  barrier(): Promise<void>;
  /** Adds values element-wise over the ranks, in place, bit-identical on every rank. Blocks until every rank calls. */
  sum(values: Float32Array | Float64Array): void;
  /** Returns the values of all ranks, in their order, as copies (structured clone). Blocks until every rank has made the call. */
  gather<T>(value: T): T[];
  /** Runs `work` on this rank alone: within it there is a single rank, and the calls above return immediately. */
  apart<T>(work: () => Promise<T>): Promise<T>;
  /** The URL of the module whose functions exchange gradients and parameters in worker threads; null for one process. */
  readonly kernels: URL | null;
}

/** The ranks of a run of one process. */
export const oneRank: Ranks = {
  rank: 0,
  size: 1,
  barrier: () => Promise.resolve(),
  sum: () => {},
  gather: (value) => [value],
  apart: (work) => work(),
  kernels: null,
};

/** Returns this rank's share, from `begin` to `end` (exclusive), of `count` items that are divided evenly among the ranks. */
export function shareOf(count: number, { rank, size }: Pick<Ranks, 'rank' | 'size'>): { begin: number; end: number } {
  return { begin: Math.floor((count * rank) / size), end: Math.floor((count * (rank + 1)) / size) };
}

/** Returns whether the flag is set on any rank, the same answer on every rank. */
export const anyRank = (ranks: Ranks, flag: boolean): boolean =>
  ranks.size === 1 ? flag : ranks.gather(flag).some((own) => own);

/** Runs `work` on rank 0 and returns its result, which must be plain data, on all ranks; the others wait. */
export async function onRankZero<T>(ranks: Ranks, work: () => Promise<T>): Promise<T> {
  if (ranks.size === 1) return work();
  const own = ranks.rank === 0 ? await ranks.apart(work) : undefined;
  await ranks.barrier();
  return ranks.gather(own)[0] as T;
}
