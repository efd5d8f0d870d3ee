// Finds recordings of real systems (checkpoints with PyTorch's results, traffic of other projects' servers), which cannot be part
// of this repository. BOWYER_RECORDINGS names their folder; without it, tests that need them are skipped. See CONTRIBUTING.md.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { titled, when, type Tests } from './when.js';

const variable = 'BOWYER_RECORDINGS';

/** Returns the path of a recording; if the variable is not set, a path that does not exist and contains the variable's name. */
export function recordings(...path: string[]): string {
  const folder = process.env[variable];
  if (!folder) return join(variable, ...path);
  return resolve(process.env.INIT_CWD ?? '.', folder, ...path); // npm changes the working directory
}

/** Reads the lines of a recorded JSONL file; empty without recordings. */
export function recordedLines<Line>(...path: string[]): Line[] {
  const file = recordings(...path);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/**
 * Returns `test` and `describe` that are skipped if one of these recordings is missing. `npm run test:recorded` runs such tests.
 */
export function whenRecorded(...paths: string[]): Tests {
  if (!process.env[variable])
    return when(false, `${variable} is not set (recordings of real systems, see CONTRIBUTING.md)`);
  const missing = paths.find((path) => !existsSync(recordings(path)));
  if (missing !== undefined) return when(false, `${variable} has no ${missing}`);
  return titled({ test, describe }, ' [recorded]');
}
