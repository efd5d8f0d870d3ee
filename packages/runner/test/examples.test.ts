// Tests that every example runs with the command in its first lines, and prints its result.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { typeScriptArguments, whenExhaustive } from '@bowyer/testing';
import { repository } from './command-line.js';

/** Patterns that the output must contain. */
const shown: Record<string, RegExp[]> = {
  '1-differentiate-a-graph.ts': [/^step 0: loss 9\.0+$/m, /^step 150: loss 0\.0000/m, /^y = 2\.000 x \+ 1\.000$/m],
  '2-play-an-environment.ts': [/^Questions:$/m, /^is it a chair\? Yes\.$/m, /^return -6$/m],
  '3-clone-and-sample.ts': [/^step 60: 0\.0\d+ nats/m, /^the sky is blue$/m, /^the grass is green$/m],
};

const examples = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.ts'));

test.each(examples)('%s', async (name) => {
  const args = [...typeScriptArguments(), join('examples', name)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
  expect(shown).toHaveProperty([name]); // a new example needs an entry here
  for (const line of shown[name]) expect(stdout).toMatch(line);
});

test('coding: the agent repairs the repository with a script in place of a model', async () => {
  // Without the variables that tell Node's test runner that another test has started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', join('examples', 'coding', 'agent.test.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository, env });
  expect(stdout).toMatch(/^. pass 3$/m);
});

whenExhaustive().test('coding: it is recorded and trained by the tests of the repository', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bowyer-coding-'));
  const env = { ...process.env, ITERATIONS: '1', ROLLOUTS: '8', FOLDER: folder };
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/coding/train.mjs'], {
    cwd: repository,
    env,
  });
  await rm(folder, { recursive: true });
  expect(stdout).toMatch(/^recorded: \d+ of 120 repairs, and 0 failures$/m);
  expect(stdout).toMatch(/^iteration 1\/1: reward /m);
});

whenExhaustive().test(
  'tinker: each of the recipes improves its base with one seed',
  async () => {
    const args = [...typeScriptArguments(), 'examples/tinker/recipes.ts', '1'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository });
    expect(stdout.match(/right, improved/g)).toHaveLength(3);
    expect(stdout.trim().split('\n')).toHaveLength(3);
  },
  900_000,
);
