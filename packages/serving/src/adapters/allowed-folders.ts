// Checks whether a folder that a client asks the server to load an adapter from lies below an allowed folder.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

/**
 * Resolves the links of a path, and returns it if it lies below one of the allowed roots.
 *
 * @returns null for a missing folder, and for one outside of the roots, even if a link inside a root leads to it
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
