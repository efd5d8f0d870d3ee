import { isAbsolute, relative } from 'node:path';

/** Returns a file and line as they are shown to a user: relative to the working directory if the file is below it. */
export function placeText(source: string, line: number | undefined): string {
  const near = isAbsolute(source) ? relative(process.cwd(), source) : source;
  const shown = near.startsWith('..') ? source : near;
  return line === undefined ? shown : `${shown}:${line}`;
}
