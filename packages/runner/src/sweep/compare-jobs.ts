// The comparison that a sweep ends with: its settings beside each other, with mean and interval over their seeds.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findRuns } from '../report/find-runs.js';
import { comparisonText, readSettings } from '../report/comparison.js';
import { writeComparison } from '../report/write-report.js';
import { CONFIG_FILE } from '../run/recorded-config.js';

/**
 * Writes comparison.html into the sweep's folder. A sweep of jobs that are not runs (of `play`, of `score`) has none, and one that
 * cannot be written stops nothing.
 *
 * @param directory of the sweep
 * @returns lines for the terminal
 */
export async function compareJobs(directory: string): Promise<string[]> {
  try {
    // A run without its config cannot be compared by its settings.
    if (!(await findRuns(directory)).every((run) => existsSync(join(run, CONFIG_FILE)))) return [];
    const data = await readSettings([directory]);
    const path = await writeComparison(directory, data);
    return [...comparisonText(data).split('\n'), '', `comparison: ${path}`];
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    return line.includes('no run is there') ? [] : [`the sweep's comparison was not written: ${line}`];
  }
}
