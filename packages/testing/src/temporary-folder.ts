import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder for the tests of a file, which is removed after them. @param name what its name begins with */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
