// A sweep, batch by batch: all jobs of a batch are composed before its first one starts, then they run one after another. A job
// that fails does not stop its batch; after the batch the first failure ends the sweep.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ComposeOptions } from '../compose.js';
import { planSweep } from '../sweep.js';
import { writeYaml } from '../yaml/write.js';
import { openLog } from './log.js';
import { runJob, type Job, type JobContext, type JobResult } from './run-job.js';

export interface MultirunOptions {
  readonly job: Job;
  readonly context: JobContext;
  /** Checks a job's config before the batch starts, by a schema for instance. */
  readonly check?: (composition: ReturnType<ReturnType<typeof planSweep>['compose']>) => void | Promise<void>;
  /** List and compose the jobs, run none, write nothing. */
  readonly dryRun: boolean;
}

/** @returns the first job that failed, if any */
export async function multirun(compose: ComposeOptions, { job, context, check, dryRun }: MultirunOptions): Promise<JobResult | undefined> {
  const plan = planSweep(compose);
  const { master, jobs, batches } = plan;
  const dir = path.resolve(context.cwd, String(master.setting('hydra.sweep.dir')));
  if (!dryRun) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, 'multirun.yaml'), writeYaml(master.full));
  }
  let first = 0;
  for (const size of batches) {
    const numbers = Array.from({ length: size }, (_, index) => first + index);
    const compositions = numbers.map((number) => plan.compose(number));
    for (const composition of compositions) await check?.(composition);
    const log = openLog(master.setting('hydra.hydra_logging'), master.setting('hydra.verbose'), context.streams, context.clock);
    if (dryRun) for (const number of numbers) context.streams.stdout(`#${number} : ${jobs[number]!.join(' ')}\n`);
    else {
      log('INFO', `Launching ${size} jobs locally`, 'HYDRA');
      const results: JobResult[] = [];
      for (const [index, number] of numbers.entries()) {
        log('INFO', `\t#${number} : ${jobs[number]!.join(' ')}`, 'HYDRA');
        results.push(await runJob(job, compositions[index]!, number, context));
      }
      const failed = results.find((result) => result.failed);
      if (failed) return failed;
    }
    first += size;
  }
  return undefined;
}
