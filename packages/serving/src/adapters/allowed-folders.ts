// Checks which folders a client may ask the server to read.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

/**
 * Returns the real path of a folder below one of the roots.
 *
 * @returns null for a folder outside of the roots, by its path or by a link, and for a missing folder
 */
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
