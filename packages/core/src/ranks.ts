// The processes of a data-parallel run. Every one executes the same program on the same numbers: control flow, random streams, replay
// buffer and metrics are those of a run of one process. Work that takes time is divided: episodes among the ranks that play them, rows of a
// batch among the ranks that compute them. Each part is exchanged at once, so that all ranks continue with the whole.

/** This process among those of the run. Collective: every rank must make the same calls in the same order. */
export interface Ranks {
  /** Number of this process, from 0; 0 within `apart`. */
  readonly rank: number;
  /** Processes of the run; 1 within `apart`. */
  readonly size: number;
  /** Waits until every rank has come here. The event loop of this process continues meanwhile. */
  barrier(): Promise<void>;
  /** Adds values element-wise over the ranks, in place, with the same bits on every rank. Blocks until every rank has called it. */
  sum(values: Float32Array | Float64Array): void;
  /** Returns the values of all ranks, in their order, as copies (structured clone). Blocks until every rank has called it. */
  gather<T>(value: T): T[];
  /** Runs `work` on this rank alone: within it there is one rank, and every call above returns at once. */
  apart<T>(work: () => Promise<T>): Promise<T>;
  /** Module with the kernels of a device's worker that exchange gradients and parameters; null where there is one process. */
  readonly kernels: URL | null;
}

/** A run of one process. */
export const oneRank: Ranks = {
  rank: 0,
  size: 1,
  barrier: () => Promise.resolve(),
  sum: () => {},
  gather: (value) => [value],
  apart: (work) => work(),
  kernels: null,
};

/** Returns this rank's share of `count` equal pieces: from `begin`, up to and without `end`. */
export function shareOf(count: number, { rank, size }: Pick<Ranks, 'rank' | 'size'>): { begin: number; end: number } {
  return { begin: Math.floor((count * rank) / size), end: Math.floor((count * (rank + 1)) / size) };
}

/** Returns whether any rank says so: the same answer on every rank. */
export const anyRank = (ranks: Ranks, flag: boolean): boolean =>
  ranks.size === 1 ? flag : ranks.gather(flag).some((own) => own);

/** Returns the result of `work` on rank 0, which alone does it; the others wait. It must be plain data. */
export async function onRankZero<T>(ranks: Ranks, work: () => Promise<T>): Promise<T> {
  if (ranks.size === 1) return work();
  const own = ranks.rank === 0 ? await ranks.apart(work) : undefined;
  await ranks.barrier();
  return ranks.gather(own)[0] as T;
}
