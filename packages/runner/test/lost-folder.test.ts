// Tests that a server ends if its folder or its lock is removed: it could write nothing more, and would answer forever.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { repository } from './command-line.js';

test.each(['is removed', 'is another process’s'])(
  'a recorder whose lock %s stops with an error and writes nothing more',
  async (how) => {
    const folder = newFolder();
    const args = [
      '--config-name',
      'record_agent',
      'upstream=http://127.0.0.1:9/v1',
      'port=0',
      `save_path=${folder}/run`,
    ];
    const child = spawn(process.execPath, ['packages/runner/bin/bowyer.js', ...args], { cwd: repository });
    const said = { stdout: '', stderr: '' };
    child.stderr.on('data', (piece: Buffer) => (said.stderr += piece.toString()));
    const closed = once(child, 'close');
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (piece: Buffer) => {
        said.stdout += piece.toString();
        if (said.stdout.includes('each call is recorded')) resolve();
      });
      child.once('exit', () => resolve());
    });
    const lock = join(folder, 'run/rollouts/rollouts.lock');
    if (how === 'is removed') await rm(lock);
    else await writeFile(lock, JSON.stringify({ id: 'another', pid: 7, host: 'elsewhere', since: 'noon' }));
    expect(await closed).toEqual([1, null]);
    const reason = how === 'is removed' ? 'the file is gone' : 'process 7 on elsewhere has it since noon';
    expect(said.stderr).toContain(`this process has lost ${lock}: ${reason}\n  it writes nothing more`);
    expect(existsSync(join(folder, 'run/conversations.jsonl'))).toBe(false);
    expect(existsSync(lock)).toBe(how !== 'is removed');
    await rm(folder, { recursive: true });
  },
);
