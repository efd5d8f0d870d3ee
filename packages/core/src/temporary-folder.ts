// Makes folders in the system's temporary folder for files that are not needed after this process. They are inside one folder that
// names the process, so that a later process can remove what a killed one has left.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, stateOf, type ProcessIdentity } from './process-identity.js';

const PREFIX = 'bowyer-process-';
const OWNER = 'process.json';

let own: string | null = null;

/** Makes a folder, which is removed at the end of this process. `name`: the beginning of its name. */
export function makeTemporaryFolder(name: string): string {
  // The folder of this process may have been deleted, since some machines delete old files from the temporary folder.
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

/** Removes the folders of killed processes, but not those of other containers, which may share the temporary folder. */
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
    return false; // just created, removed by another process, or another user's
  }
}
