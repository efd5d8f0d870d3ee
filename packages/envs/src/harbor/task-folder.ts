// Reads tasks in Harbor's format: each is a folder with task.toml, instruction.md, environment/, tests/ and solution/.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { missingCommand } from './commands.js';
import { readDockerfile, type Preparation } from './dockerfile.js';
import { HarborFault, type Files } from './fault.js';
import { settingsOf } from './settings.js';

export interface HarborTask extends Preparation {
  id: string;
  /** Always null, since Harbor's tasks are not divided into splits. */
  split: null;
  instruction: string;
  kind: string | null;
  /** The files that are written to /tests before the tests run. */
  tests: Files;
  verifier: { environment: Readonly<Record<string, string>>; milliseconds: number };
  /** The content of solution/solve.sh if the folder solution/ has no other file; else null. */
  solution: string | null;
}

class HarborTaskError extends Error {
  override readonly name = 'HarborTaskError';

  constructor(path: string, faults: readonly string[]) {
    super([`harbor: ${path} cannot be played`, ...faults.map((fault) => `  ${fault}`)].join('\n'));
  }
}

const SAMPLE = fileURLToPath(new URL('../../src/harbor/sample', import.meta.url));
const TASK_BYTES = 32 * 2 ** 20;
const read = new Map<string, readonly HarborTask[]>();

/** Reads all tasks of the folder, once per process. @throws {HarborTaskError} with every task that cannot be played */
export function harborTasks({ tasks: given }: { tasks: string | null }): readonly HarborTask[] {
  const path = resolve(given ?? SAMPLE);
  const known = read.get(path);
  if (known !== undefined) return known;
  const tasks: HarborTask[] = [];
  const faults: string[] = [];
  for (const folder of foldersIn(path))
    try {
      tasks.push(readTask(folder));
    } catch (error) {
      if (!(error instanceof HarborFault)) throw error;
      faults.push(`${basename(folder)}: ${error.message}`);
    }
  if (faults.length > 0) throw new HarborTaskError(given ?? path, faults);
  read.set(path, tasks);
  return tasks;
}

/** Returns the sorted paths of all files of the tasks; an empty list for the sample that the package ships. */
export const harborFiles = ({ tasks }: { tasks: string | null }): string[] =>
  tasks === null
    ? []
    : foldersIn(resolve(tasks)).flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => join(folder, name))
          .filter(isFile),
      );

function foldersIn(path: string): string[] {
  if (!isFolder(path)) throw new HarborTaskError(path, ['there is no such folder']);
  if (isTask(path)) return [path];
  const folders = readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter(isTask);
  if (folders.length === 0) throw new HarborTaskError(path, ['no folder in it has a task.toml or a task.yaml']);
  return folders;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
const isTask = (path: string) => isFolder(path) && (isFile(join(path, 'task.toml')) || isFile(join(path, 'task.yaml')));

function readTask(folder: string): HarborTask {
  if (!isFile(join(folder, 'task.toml')))
    throw new HarborFault(
      "task.yaml is the older form of Terminal-Bench; Harbor's own command converts it to task.toml",
    );
  const { kind, image, verifier, agentEnvironment } = settingsOf(tomlOf(join(folder, 'task.toml')));
  const tests = filesUnder(join(folder, 'tests'), '/tests');
  const script = tests['/tests/test.sh'];
  if (script === undefined) throw new HarborFault('there is no tests/test.sh');
  const missing = missingCommand(new TextDecoder().decode(script));
  if (missing !== null)
    throw new HarborFault(`tests/test.sh runs ${missing}, which the shell of just-bash does not have`);
  const context = filesUnder(join(folder, 'environment'), '');
  const prepared = readDockerfile(context, image);
  return {
    id: basename(folder),
    split: null,
    instruction: withoutCanary(textOf(join(folder, 'instruction.md'))),
    kind,
    ...prepared,
    environment: { ...prepared.environment, ...agentEnvironment },
    tests,
    verifier,
    solution: solutionOf(folder),
  };
}

function tomlOf(path: string): Record<string, unknown> {
  try {
    return parse(textOf(path));
  } catch (error) {
    if (error instanceof HarborFault) throw error;
    throw new HarborFault(`task.toml is not TOML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function textOf(path: string): string {
  if (!isFile(path)) throw new HarborFault(`there is no ${basename(path)}`);
  return readFileSync(path, 'utf8');
}

/** Removes the canary from the first lines, a marker of benchmarks by which training data with it can be recognized. */
function withoutCanary(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !/^(?:<!--.*canary.*-->|#.*canary.*|)$/i.test(line.trim()));
  return lines.slice(Math.max(first, 0)).join('\n').trim();
}

function filesUnder(folder: string, place: string): Record<string, Uint8Array> {
  if (!isFolder(folder)) return {};
  const files: Record<string, Uint8Array> = {};
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (!isFile(path)) continue;
    bytes += statSync(path).size;
    if (bytes > TASK_BYTES) throw new HarborFault(`${basename(folder)}/ has more than ${TASK_BYTES / 2 ** 20} MiB`);
    files[`${place}/${name}`] = readFileSync(path);
  }
  return files;
}

function solutionOf(folder: string): string | null {
  const files = filesUnder(join(folder, 'solution'), '');
  const script = files['/solve.sh'];
  return script === undefined || Object.keys(files).length > 1 ? null : new TextDecoder().decode(script);
}
