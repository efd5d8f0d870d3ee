// Writes the comparison of a sweep's runs at its end: a table of the settings, with mean and interval over the seeds of each.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findRuns } from '../report/find-runs.js';
import { comparisonText, readSettings } from '../report/comparison.js';
import { writeComparison } from '../report/write-report.js';
import { CONFIG_FILE } from '../run/recorded-config.js';

/**
 * Writes comparison.html into the sweep's folder, unless its jobs are not runs (such as jobs of the tasks `play` or `score`). An
 * error while it is written does not stop the sweep.
 *
 * @param directory of the sweep
 * @returns lines for the terminal
 */
export async function compareJobs(directory: string): Promise<string[]> {
  try {
    // The comparison needs the recorded config of each run, which jobs that are not runs do not have.
    if (!(await findRuns(directory)).every((run) => existsSync(join(run, CONFIG_FILE)))) return [];
    const data = await readSettings([directory]);
    const path = await writeComparison(directory, data);
    return [...comparisonText(data).split('\n'), '', `comparison: ${path}`];
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    return line.includes('no run is there') ? [] : [`the sweep's comparison was not written: ${line}`];
  }
}
