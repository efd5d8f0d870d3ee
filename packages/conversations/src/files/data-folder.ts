// Finds the data files in a folder: the Parquet files of a Hugging Face dataset, or JSON files such as recorded trajectories.
import { readdirSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { DataFileError } from './data-error.js';

const EXPECTED = 'a folder with files .parquet, or else .json and .jsonl';

/** Returns the status of a path; null if it cannot be read, which is reported when the file is opened. */
export function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

export const isFolder = (path: string): boolean => statOf(path)?.isDirectory() ?? false;

/** Returns the folder of rollouts that this project's recorder wrote: the path or, for record_agent's output, its subfolder. */
export function recordFolderOf(path: string): string | null {
  if (!isFolder(path)) return null;
  const isRecord = (folder: string) => readdirSync(folder).some((name) => /^rollouts\.\d{5,}\.jsonl$/.test(name));
  if (isRecord(path)) return path;
  const inside = join(path, 'rollouts');
  return isFolder(inside) && isRecord(inside) ? inside : null;
}

/**
 * Returns the data files of a path, sorted by name: those of a folder, or the path itself if it is a file.
 *
 * @param split the split to read, for a folder with several; null: all files
 * @throws {DataFileError} if the folder has several splits and `split` is none of them
 */
export function dataFilesOf(path: string, split: string | null): string[] {
  if (!isFolder(path)) {
    if (split === null) return [path];
    throw new DataFileError(`${path} is a file, so it has no split '${split}'`, EXPECTED);
  }
  if (recordFolderOf(path) !== null)
    throw new DataFileError(
      `${path} is a record of rollouts`,
      'a file that writeRecordedData of @bowyer/rollouts has made of it',
    );
  const found = namesIn(path);
  if (found.length === 0) throw new DataFileError(`${path}: the folder has no data`, EXPECTED);
  return ofSplit(path, found, split).map((name) => join(path, name));
}

export const dataFilesIn = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name));

function namesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const tables = names.filter((name) => name.endsWith('.parquet'));
  return tables.length > 0 ? tables : names.filter((name) => /\.jsonl?(\.gz)?$/.test(name));
}

/** Returns the files of one split. The user must name one of several, so that nobody trains on a test split by mistake. */
function ofSplit(path: string, names: readonly string[], split: string | null): readonly string[] {
  const splits = [...new Set(names.map(splitOf))];
  const known = splits.filter((each) => each !== null);
  if (split === null && splits.length <= 1) return names;
  const chosen = names.filter((name) => splitOf(name) === split);
  if (split !== null && chosen.length > 0) return chosen;
  const says = known.length > 0 ? `the folder has the splits ${known.join(', ')}` : 'the folder has no splits';
  if (split === null && known.length === 0) return names;
  throw new DataFileError(
    `${path}: ${says}${split === null ? '' : `, not '${split}'`}`,
    'the name of one of its splits (data_split)',
  );
}

const SPLITS = /^(train|training|validation|valid|val|dev|eval|test|testing)(?=$|[-_.])/;

/** Returns the split with which a file's or its folder's name begins: `train-00000-of-00002.parquet`, `test/0000.parquet`. */
const splitOf = (name: string): string | null =>
  (SPLITS.exec(basename(name)) ?? SPLITS.exec(basename(dirname(name))))?.[1] ?? null;

/** Returns the prefix with which messages name a file of a folder; '' if the path itself is the file. */
export const nameIn = (folder: string, path: string): string => (folder === path ? '' : `${relative(folder, path)}, `);
