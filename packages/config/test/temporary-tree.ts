// Writes a folder of config files for one test.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newFolder } from '@bowyer/testing';

/** Writes files (relative path to text or bytes; a trailing '/' makes an empty folder) and returns the folder. */
export function temporaryTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = newFolder();
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(root, name);
    mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(target, content);
  }
  return root;
}
