// Checks whether a folder that a client asks the server to load an adapter from lies below an allowed folder.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

/** Returns the path with its links resolved; null if it is missing or, once resolved, outside of all roots. */
export async function folderBelow(roots: readonly string[], path: string): Promise<string | null> {
  for (const root of roots) {
    const wanted = resolve(root, path);
    if (!isBelow(resolve(root), wanted)) continue;
    const [own, found] = await Promise.all([root, wanted].map((each) => realpath(each).catch(() => null)));
    if (own !== null && found !== null && isBelow(own, found)) return found;
  }
  return null;
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && !isAbsolute(way) && way !== '..' && !way.startsWith('../') && !way.startsWith('..\\');
}
