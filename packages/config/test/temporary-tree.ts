// A folder of config files for one test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const made: string[] = [];

/** Writes files (relative path to text or bytes; a trailing '/' makes an empty folder) and returns the folder. */
export function temporaryTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(path.join(os.tmpdir(), 'bowyer-config-'));
  made.push(root);
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(root, name);
    mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(target, content);
  }
  return root;
}

/** Removes what `temporaryTree` made; call it in `afterAll`. */
export function removeTemporaryTrees(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
