// Makes folders in the system's temporary folder for files that nobody needs after this process. They are inside one folder that names
// the process, so that the next process removes what a killed one has left.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, stateOf, type ProcessIdentity } from './process-identity.js';

const PREFIX = 'bowyer-process-';
const OWNER = 'process.json';

let own: string | null = null;

/** Makes a folder, which is removed at the end of this process if it is still there. @param name the beginning of its name */
export function makeTemporaryFolder(name: string): string {
  // It may be gone: some machines clean the temporary folder of what is old.
  if (own === null || !existsSync(own)) own = makeOwn();
  return mkdtempSync(join(own, `${name}-`));
}

function makeOwn(): string {
  removeLeftOvers();
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, OWNER), JSON.stringify(identityOf()));
  return folder;
}

/** Removes the folders of processes that were killed; those of other containers, which may share the temporary folder, stay. */
function removeLeftOvers(): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(PREFIX) && hasEnded(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function hasEnded(folder: string): boolean {
  try {
    return stateOf(JSON.parse(readFileSync(join(folder, OWNER), 'utf8')) as ProcessIdentity) === 'ended';
  } catch {
    return false; // it was made just now, was removed by another process, or is another user's
  }
}
