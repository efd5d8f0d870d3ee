// A sweep by the basic sweeper and launcher: every combination, one job after another in this process, batch by batch.
// A failed job does not stop its batch, but no further batch is started.
import type { Composition } from '../compose.js';
import { hintAtFullError } from './report-error.js';
import type { Session } from './session.js';
import { SweepRequest } from './sweep-request.js';

/** Configs composed for the check are kept for their run up to this many; beyond it they are composed again. */
const keptCompositions = 200;

/** @returns the exit code */
export async function runSweep(session: Session, overrides: readonly string[]): Promise<number> {
  const request = new SweepRequest(session, overrides);
  const outcome = await session.program.launch?.(request);
  return outcome ? outcome.exitCode : runBasicSweep(session, request);
}

async function runBasicSweep(session: Session, request: SweepRequest): Promise<number> {
  const { jobs, batches } = request.plan();
  const kept = new Map<number, Composition>();
  const compose = (index: number) => {
    const composition = kept.get(index) ?? request.composeJob(index, jobs[index]!);
    if (kept.size < keptCompositions) kept.set(index, composition);
    return composition;
  };
  // A program that checks its configs has every job checked before the first starts, and before anything is written.
  if (session.program.validate) for (const index of jobs.keys()) await request.check([compose(index)]);
  request.writeMaster();
  let start = 0;
  for (const size of batches) {
    const indices = Array.from({ length: size }, (_, offset) => start + offset);
    for (const index of indices) compose(index);
    request.announce(`Launching ${size} jobs locally`);
    let failed = false;
    for (const index of indices) {
      request.announce(`\t#${index} : ${jobs[index]!.join(' ')}`);
      const result = await request.runJob(index, compose(index));
      kept.delete(index);
      failed ||= result.failed;
    }
    if (failed) {
      hintAtFullError(session);
      return 1;
    }
    start += size;
  }
  return 0;
}
