// Gathers the host names and thread counts of the processes (ranks) that run a data-parallel training together. They are logged
// at the start and recorded with the results.
import { availableParallelism, hostname } from 'node:os';
import { maximum, minimum, type Ranks } from '@bowyer/core';

/** The processes of a data-parallel run. Hosts and threads have one entry per rank, in the order of the ranks. */
export interface Processes {
  ranks: number;
  hosts: string[];
  threads: number[];
}

/**
 * Every rank must call it.
 *
 * @param threads the config's `device.threads`: 0 for all cores that the system gives this process
 * @returns null for a single process
 */
export function processesOf(ranks: Ranks, threads: number): Processes | null {
  if (ranks.size === 1) return null;
  const all = ranks.gather({ host: hostname(), threads: threads || availableParallelism() });
  return { ranks: ranks.size, hosts: all.map(({ host }) => host), threads: all.map((one) => one.threads) };
}

/**
 * For example `1 process runs this, with 1 thread`.
 *
 * @param threads the config's `device.threads`
 * @param players the number of processes that play the episodes
 */
export function oneProcessText(threads: number, players = 1): string {
  const count = threads || availableParallelism();
  const ofEach = `${count} ${count === 1 ? 'thread' : 'threads'}`;
  return players === 1
    ? `1 process runs this, with ${ofEach}`
    : `${players} processes play the episodes, ${ofEach} each`;
}

/** Returns a line for the log such as `2 processes share this run, 1 thread each: ranks 0 to 1 on HOST`. */
export function processesText({ ranks, hosts, threads }: Processes): string {
  const places = [...new Set(hosts)].map(
    (host) => `${rankText(hosts.flatMap((one, i) => (one === host ? i : [])))} on ${host}`,
  );
  return `${ranks} processes share this run, ${threadText(threads)}: ${places.join(', ')}`;
}

function rankText(own: readonly number[]): string {
  if (own.length === 1) return `rank ${own[0]}`;
  const isRow = own.at(-1)! - own[0] === own.length - 1;
  return `ranks ${isRow ? `${own[0]} to ${own.at(-1)!}` : own.join(', ')}`;
}

function threadText(threads: readonly number[]): string {
  const [fewest, most] = [minimum(threads), maximum(threads)];
  return fewest === most ? `${most} ${most === 1 ? 'thread' : 'threads'} each` : `${fewest} to ${most} threads each`;
}
