// Checks before a task starts that it can write to the files and folders that its options name.
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writeProblem, oneProblem, type ConfigProblem } from '@bowyer/core';
import { isGgufFile } from '../tasks/export/export-config.js';

/** The kinds of output paths. Text is added to an `appended` path, which may be a file or a device such as /dev/stdout. */
type Kind = 'folder' | 'file' | 'appended';

/** For each option with an output path: the kind of path, by task where it differs between tasks. */
const KINDS: Readonly<Record<string, Kind | Readonly<Record<string, Kind>>>> = {
  save_path: 'folder',
  'warm_start.cache_dir': 'folder',
  'task.output': {
    convert: 'folder',
    export: 'folder',
    play: 'appended',
    score: 'file',
    generate: 'file',
    replay: 'file',
  },
};

export interface PlacesConfig {
  task: { name: string; output?: string | null; format?: string | null };
  savePath?: string | null;
  warmStart?: { cacheDir?: string };
}

export function placeProblems({ task, savePath, warmStart }: PlacesConfig): ConfigProblem[] {
  const { name, output, format } = task;
  const places = { save_path: savePath, 'warm_start.cache_dir': warmStart?.cacheDir, 'task.output': output };
  return Object.entries(places).flatMap(([key, path]) => {
    const known = KINDS[key];
    const isFile = name === 'export' && isGgufFile({ format, output });
    const kind = typeof known === 'string' ? known : isFile ? 'file' : known[name];
    const obstacle = kind === undefined || typeof path !== 'string' ? null : obstacleOf(path, kind);
    if (obstacle === null) return [];
    const [message, remedy] = [
      `${key}: '${String(path)}' cannot be written: ${obstacle}`,
      `give ${key} another ${kind === 'folder' ? 'folder' : 'file'}`,
    ];
    return oneProblem(key, message, remedy);
  });
}

/** Null where the task can write to the path. */
export function obstacleOf(path: string, kind: Kind): string | null {
  if (path === '') return 'it is empty';
  try {
    const found = statSync(path);
    if (kind === 'folder' && !found.isDirectory()) return 'it is a file, not a folder';
    if (kind !== 'folder' && found.isDirectory()) return 'it is a folder, not a file';
    if (kind === 'file' && !found.isFile()) return 'it is a device, which the whole file would replace';
    accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    const problem = error as NodeJS.ErrnoException;
    return problem.code === 'ENOENT' ? obstacleOfNew(path) : writeProblem(problem);
  }
}

/** Returns the reason why a path that does not exist cannot be created, which depends on its parent folders. */
function obstacleOfNew(path: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return 'it is a symbolic link to nothing';
  const parent = dirname(resolve(path));
  if (parent.startsWith('/proc')) return 'nothing can be made in /proc';
  const obstacle = obstacleOf(parent, 'folder');
  return obstacle && obstacle.replace(/^it is/, `'${parent}' is`);
}
