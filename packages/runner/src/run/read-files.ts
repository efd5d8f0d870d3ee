// Reads the small JSON and text files in the folders of runs and jobs. A file may be missing, and its last line may be incomplete
// after a kill.
import { readFile } from 'node:fs/promises';

/** Null if the file does not exist. */
export const textIfThere = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Null if the file does not exist. */
export async function jsonIfThere<Value>(path: string): Promise<Value | null> {
  const text = await textIfThere(path);
  return text === null ? null : (JSON.parse(text) as Value);
}

/** Parses the lines of a JSONL file. An incomplete line, which a killed process has left, is skipped. */
export const wholeLines = <Value>(text: string): Value[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Value];
    } catch {
      return [];
    }
  });
