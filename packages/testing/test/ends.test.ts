import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../src/index.js';

const repository = resolve(import.meta.dirname, '../../..');

/** Runs Jest on one test file of a folder of its own. */
function run(test: string) {
  const folder = newFolder();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/open.test.js'), test);
  writeFileSync(join(folder, 'package.json'), '{ "name": "open" }');
  const reporters = ['default', [join(repository, 'packages/testing/ends.mjs'), { afterMs: 200 }]];
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify({ rootDir: folder, reporters }));
  const { NODE_OPTIONS: _, ...env } = process.env;
  return spawnSync(process.execPath, [join(repository, 'node_modules/jest/bin/jest.js'), '--runInBand'], {
    cwd: folder,
    env: { ...env, FORCE_COLOR: '0' },
    encoding: 'utf8',
  });
}

const server = "require('node:http').createServer().listen(0, '127.0.0.1', done);";

test('a failed test that leaves a server open ends the run with 1, and the server is named', () => {
  const { status, stderr } = run(`test('fails', (done) => { ${server} throw new Error('wrong'); });`);
  expect(stderr).toContain('● fails');
  expect(stderr).toMatch(/Tests left open, which fails their run: a server at {"address":"127.0.0.1",[^,]*,[^,]*\n/);
  expect(status).toBe(1);
});

test('a passed test that leaves a process open fails the run, and the process ends', () => {
  const program = 'console.log(process.pid); setInterval(() => {}, 1000)';
  const { status, stderr, stdout } = run(
    `test('passes', (done) => {
       const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(program)}], { stdio: ['ignore', 'pipe', 'inherit'] });
       child.stdout.once('data', (pid) => { require('node:fs').writeFileSync('pid', String(pid)); done(); });
     });`,
  );
  expect(stderr).toContain(program);
  expect([status, stdout]).toEqual([1, '']);
});

test('a run that leaves nothing open ends by itself', () => {
  const { status, stderr } = run("test('passes', () => {});");
  expect(stderr).not.toContain('left open');
  expect(status).toBe(0);
});
