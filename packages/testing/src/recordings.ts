// Recordings of real systems (checkpoints with PyTorch's numbers, traffic of other projects' servers) that cannot be part of this
// repository. BOWYER_RECORDINGS names their folder; without it the tests that need them are skipped. See CONTRIBUTING.md.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { titled, when, type Tests } from './when.js';

const variable = 'BOWYER_RECORDINGS';

/** Returns the path of a recording. Where the variable is not set, a path that does not exist and that names the variable. */
export function recordings(...path: string[]): string {
  const folder = process.env[variable];
  if (!folder) return join(variable, ...path);
  return resolve(process.env.INIT_CWD ?? '.', folder, ...path); // npm changes the working directory
}

/** Reads the lines of a recorded JSONL file; none where there are no recordings. */
export function recordedLines<Line>(...path: string[]): Line[] {
  const file = recordings(...path);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/**
 * Returns `test` and `describe` for what needs these recordings; skipped where one of them is missing. `npm run test:recorded` runs
 * them.
 */
export function whenRecorded(...paths: string[]): Tests {
  if (!process.env[variable])
    return when(false, `${variable} is not set (recordings of real systems, see CONTRIBUTING.md)`);
  const missing = paths.find((path) => !existsSync(recordings(path)));
  if (missing !== undefined) return when(false, `${variable} has no ${missing}`);
  return titled({ test, describe }, ' [recorded]');
}
