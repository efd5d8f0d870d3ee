// Tests `bowyer init agent` in an empty folder: the test of the new project passes without changes.
import { spawnSync } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { initProject } from '../src/init/init-project.js';
import { run } from './command-line.js';

let folder: string;
beforeEach(async () => {
  folder = newFolder();
});

const scriptsOf = async (path: string) =>
  (JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts;

test('the project is written into the folder, its own test passes, and its commands are named', async () => {
  const { code, stdout, stderr } = await run(['init', 'agent'], { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const scripts = await scriptsOf(folder);
  for (const name of Object.keys(scripts)) expect(stdout).toMatch(new RegExp(`^ {2}npm (run )?${name}$`, 'm'));
  for (const file of Object.values(scripts).flatMap((script) => /node (\S+\.mjs)/.exec(script)?.[1] ?? []))
    expect(await readdir(folder)).toContain(file);
  // Without the variables that tell Node's test runner that another test has started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const tested = spawnSync(process.execPath, ['--test'], { cwd: folder, env, encoding: 'utf8' });
  expect(tested).toMatchObject({ status: 0, stdout: expect.stringMatching(/pass 3\b/) as string });
});

test('a package.json that is there keeps its fields and scripts, but for the test that npm init writes', async () => {
  const own = {
    name: 'mine',
    dependencies: { '@bowyer/agents': '1' },
    scripts: { train: 'mine', test: 'echo "Error: no test specified" && exit 1' },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(own));
  initProject(['agent', folder]);
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'mine',
    dependencies: own.dependencies,
    scripts: { train: 'mine', test: 'node --test', evaluate: 'node evaluate.mjs' },
  });
});

test('a file that is there is not written over, and unknown projects are refused', async () => {
  await writeFile(join(folder, 'agent.mjs'), 'mine');
  expect(() => initProject(['agent', folder])).toThrow(`'${folder}' has agent.mjs already`);
  expect(await readdir(folder)).toEqual(['agent.mjs']);
  expect(() => initProject(['agnet', folder])).toThrow('usage: npx bowyer init agent [FOLDER]');
  expect(() => initProject(['agent', '--help'])).toThrow('usage: npx bowyer init agent [FOLDER]');
});
