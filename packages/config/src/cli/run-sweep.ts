// Runs a sweep with the basic sweeper and launcher, one job after the other in this process, batch by batch. A failed job does
// not stop its batch, but no further batch is started.
import type { Composition } from '../composition.js';
import { hintAtFullError, printWarnings } from './report-error.js';
import type { Session } from './session.js';
import { writeLines } from './terminal-lines.js';
import type { SweepRequest } from './program.js';
import { CommandLineSweep } from './sweep-request.js';

type Compose = (index: number) => Promise<Composition>;

/** The composed configs that stay in memory between the check of all jobs and each job; further ones are composed again. */
const keptCompositions = 200;

export async function runSweep(session: Session, overrides: readonly string[]): Promise<number> {
  const request = await CommandLineSweep.open(session, overrides);
  printWarnings(session, request.master);
  const { dryRun } = session.flags;
  const outcome = await session.program.launch?.(request);
  if (outcome) return outcome.exitCode;
  const { jobs, batches } = request.plan();
  const compose = composer(request, jobs);
  // If the program checks its configs, every job is checked before the first one starts and before anything is written.
  if (session.program.validate) await checkAll(session, request, jobs, compose);
  if (dryRun) {
    for (const [index, overrides] of jobs.entries()) {
      const job = await compose(index);
      request.listJob(index, overrides, request.jobDirectory(job), job);
    }
    return 0;
  }
  request.writeMaster();
  const succeeded = await runBatches(request, batches, jobs, compose);
  for (const line of (await session.program.afterSweep?.(request.directory)) ?? []) writeLines(session.stdout, line);
  if (!succeeded) hintAtFullError(session);
  return succeeded ? 0 : 1;
}

/** Runs batches in order, up to the first one in which a job fails. Returns whether all jobs succeeded. */
async function runBatches(
  request: SweepRequest,
  batches: readonly number[],
  jobs: readonly string[][],
  compose: Compose,
): Promise<boolean> {
  let start = 0;
  for (const size of batches) {
    const batch = Array.from({ length: size }, (_, offset) => start + offset);
    if (!(await runBatch(request, batch, jobs, compose))) return false;
    start += size;
  }
  return true;
}

function composer(request: SweepRequest, jobs: readonly string[][]): Compose {
  const kept = new Map<number, Composition>();
  return async (index) => {
    const composition = kept.get(index) ?? (await request.composeJob(index, jobs[index]!));
    if (kept.size < keptCompositions) kept.set(index, composition);
    return composition;
  };
}

async function checkAll(
  { stderr }: Session,
  request: SweepRequest,
  jobs: readonly string[][],
  compose: Compose,
): Promise<void> {
  for (const [index, overrides] of jobs.entries()) {
    try {
      await request.check([await compose(index)]);
    } catch (error) {
      if (jobs.length > 1) stderr.write(`In job #${index} (${overrides.join(' ')}):\n`);
      throw error;
    }
  }
}

/** Runs all jobs of one batch, even if one fails. Returns whether all succeeded. */
async function runBatch(
  request: SweepRequest,
  batch: readonly number[],
  jobs: readonly string[][],
  compose: Compose,
): Promise<boolean> {
  for (const index of batch) await compose(index);
  request.announce(`Launching ${batch.length} jobs locally`);
  let succeeded = true;
  for (const index of batch) {
    request.announce(`\t#${index} : ${jobs[index]!.join(' ')}`);
    const { failed } = await request.runJob(index, await compose(index));
    succeeded &&= !failed;
  }
  return succeeded;
}
