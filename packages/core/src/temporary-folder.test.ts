import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { identityOf } from './process-identity.js';
import { makeTemporaryFolder } from './temporary-folder.js';

function folderOf(owner: object | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'bowyer-process-'));
  mkdirSync(join(folder, 'task-1'));
  writeFileSync(join(folder, 'task-1', 'task.json'), '{}');
  if (owner !== null) writeFileSync(join(folder, 'process.json'), JSON.stringify(owner));
  return folder;
}

test('folders of killed processes are removed; those of a living process, another container or an unknown process are not', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const ended = { ...identityOf(), pid };
  const folders = [ended, identityOf(process.ppid), { ...ended, processes: 'pid:[1]' }, null].map(folderOf);
  try {
    const made = makeTemporaryFolder('task');
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
    expect(readdirSync(made)).toEqual([]);
    const second = makeTemporaryFolder('task');
    expect(dirname(second)).toBe(dirname(made));
    rmSync(dirname(made), { recursive: true });
    expect(existsSync(makeTemporaryFolder('task'))).toBe(true);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
});
