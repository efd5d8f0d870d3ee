// Runs the command line on every process that mpirun or srun has started: rank 0 reads the command line, and the other ranks
// receive the job from rank 0.
import { setTimeout as sleep } from 'node:timers/promises';
import { writeLines } from '@bowyer/config';
import { joinRanks, type MpiRanks } from '@bowyer/mpi';
import { Leader, shareJob } from './leader.js';

/**
 * The milliseconds that a failed rank waits before it reports its error: if all ranks have the same error, rank 0 reports it in
 * this time and ends the others.
 */
const PATIENCE_MS = 500;

/**
 * Rank 0 sends a job to the other ranks.
 *
 * @param commandLine gets the leader; null for a single process
 * @returns the exit code; if one rank fails, all are ended
 */
export async function runOnRanks(commandLine: (leader: Leader | null) => Promise<number>): Promise<number> {
  let ranks: MpiRanks | null;
  try {
    ranks = await joinRanks();
  } catch (error) {
    writeLines(process.stderr, `bowyer: ${(error as Error).message}`);
    return 1;
  }
  if (ranks === null) return commandLine(null);
  const exitCode = ranks.rank === 0 ? await lead(ranks, commandLine) : await follow(ranks);
  if (exitCode !== 0) ranks.abort(exitCode);
  ranks.finalize();
  return exitCode;
}

async function lead(ranks: MpiRanks, commandLine: (leader: Leader) => Promise<number>): Promise<number> {
  const leader = new Leader(ranks);
  const exitCode = await commandLine(leader);
  if (exitCode === 0) await leader.dismiss();
  return exitCode;
}

async function follow(ranks: MpiRanks): Promise<number> {
  try {
    const job = await shareJob(ranks, null);
    if (job !== null) await (await import('./follow-job.js')).followJob(job, ranks);
    return 0;
  } catch (error) {
    await sleep(PATIENCE_MS);
    writeLines(process.stderr, `[rank ${ranks.rank}] ${(error as Error).message}`);
    return 1;
  }
}
