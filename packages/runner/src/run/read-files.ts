// Reads the small files of runs and jobs, which may be missing, and whose last line may be incomplete.
import { readFile } from 'node:fs/promises';

/** Reads a text; null where there is no file. */
export const textIfThere = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Reads a JSON value; null where there is no file. */
export async function jsonIfThere<Value>(path: string): Promise<Value | null> {
  const text = await textIfThere(path);
  return text === null ? null : (JSON.parse(text) as Value);
}

/** Parses JSON lines. The incomplete line of a killed process is skipped. */
export const wholeLines = <Value>(text: string): Value[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Value];
    } catch {
      return [];
    }
  });
