// Tests of agents: in vitest itself, and as functions for other test runners.
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '@bowyer/testing';
import { expectAgent, keepsUp, reaches, type AgentContext } from '../src/index.js';
import { answerTo, colourModel, colours, tasks, type ColourTask } from './colour-agent.js';

let folder: string;
let model: string;
beforeAll(async () => {
  folder = newFolder();
  model = await colourModel();
});
afterAll(() => Promise.all([folder, model].map((one) => rm(one, { recursive: true }))));

/** A right agent, whatever the model of random weights answers, and one that is always wrong. */
const asks = async (task: ColourTask, context: AgentContext) => Number((await answerTo(task, context)).length >= 0);
const isBroken = async (task: ColourTask, context: AgentContext) => 1 - (await asks(task, context));
let number = 0;
const settings = () => ({ model, tasks, threads: 1, concurrency: 4, savePath: join(folder, `run-${number++}`) });

test('a clear result needs few rollouts, and the message states the expected and the found value', async () => {
  const good = await reaches(asks, 0.8, { ...settings(), budget: 200 });
  expect(good).toMatchObject({ passed: true, decided: true, mean: 1, rollouts: 24 });
  expect(good.message).toMatch(/^reached: reward of at least 0.8\n {2}found 1.000 \(0.8\d\d … 1.000\) in 24 rollouts$/);

  const bad = expectAgent(isBroken).toReach(0.8, { ...settings(), budget: 200 });
  await expect(bad).rejects.toThrow(
    /^not reached: reward of at least 0.8\n {2}found 0.000 \(0.000 … 0.\d\d\d\) in 4 rollouts$/,
  );
}, 300_000);

test('a budget that is too small decides nothing, and the message has the number of tasks that would suffice; pass@k, pass^k and cost', async () => {
  let played = 0;
  const everySecond = async (task: ColourTask, context: AgentContext) => {
    await answerTo(task, context);
    return played++ % 2;
  };
  const common = { concurrency: 1, of: 'pass@2' } as const;
  const any = await reaches(everySecond, 0.9, { ...settings(), ...common, budget: 12 });
  // Every pair has one success and one failure, so that pass@2 is 1 and pass^2 is 0.
  expect(any).toMatchObject({ passed: false, decided: false, mean: 1, rollouts: 12 });
  expect(any.message).toMatch(/^not shown: pass@2 .*\n.*\n {2}a difference of 0.100 needs about \d+ tasks \(budget\)$/);
  const all = await reaches(everySecond, 0.9, { ...settings(), ...common, of: 'pass^2', budget: 12 });
  expect(all).toMatchObject({ passed: false, decided: true, mean: 0 });

  const priced = { ...settings(), budget: { rollouts: 200, cost: 1e-9 }, prices: { input: 1, output: 2 } };
  const costly = await reaches(asks, 0.8, priced);
  expect(costly).toMatchObject({ decided: false, rollouts: 4 });
  expect(costly.message).toContain('ended by budget.cost');
  expect(costly.cost).toBeGreaterThan(1e-9);
}, 300_000);

test('an agent is compared with the accepted version on the same tasks; a worse one fails, and another setup is refused', async () => {
  const file = join(folder, 'accepted.json');
  const isCi = process.env.CI;
  delete process.env.CI;
  const first = await keepsUp(asks, file, { ...settings(), budget: 40 });
  expect(first.message).toMatch(/^accepted in .*\n {2}found 1.000/);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ of: 'reward', seed: 0, values: Array(40).fill(1) });
  expect(await keepsUp(asks, file, settings())).toMatchObject({ passed: true, mean: 0 });
  const worse = await keepsUp(isBroken, file, settings());
  expect(worse).toMatchObject({ passed: false, mean: -1, rollouts: 8 });
  expect(worse.message).toMatch(/^worse than the accepted version by more than 0: .*\n.*\n {2}if this is wanted/);
  await expect(keepsUp(asks, file, { ...settings(), seed: 1 })).rejects.toThrow('with other tasks, another seed');
  process.env.CI = '1';
  await expect(keepsUp(asks, join(folder, 'none.json'), settings())).rejects.toThrow('no accepted version');
  if (isCi === undefined) delete process.env.CI;
}, 300_000);

test('vitest runs a test of an agent: a right one passes, a broken one fails with what was found and why', async () => {
  const packages = join(import.meta.dirname, '../..');
  const bundles = JSON.stringify(join(packages, 'testing/bundled-packages.mjs'));
  const agents = JSON.stringify(join(packages, 'agents'));
  await writeFile(
    join(folder, 'vitest.config.mjs'),
    `import { bundledPackages } from ${bundles};
     const alias = Object.entries(await bundledPackages(${agents})).map(([name, replacement]) => ({ find: new RegExp(name), replacement }));
     alias.push({ find: /^@bowyer\\/agents\\/vitest$/, replacement: ${agents} + '/src/vitest.ts' });
     alias.push({ find: /^vitest$/, replacement: ${JSON.stringify(join(packages, '../node_modules/vitest/dist/index.js'))} });
     export default { resolve: { alias }, test: { testTimeout: 300_000, include: ['agent.test.ts'] } };`,
  );
  await writeFile(
    join(folder, 'agent.test.ts'),
    `import { test } from 'vitest';
     import { expectAgent } from '@bowyer/agents/vitest';
     const tasks = ${JSON.stringify(colours.map((id) => ({ id })))};
     const settings = { model: ${JSON.stringify(model)}, tasks, threads: 1, concurrency: 4, budget: 100 };
     const ask = async ({ id }, { baseURL, apiKey }) => {
       const body = JSON.stringify({ model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'say ' + id }] });
       const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey };
       const answer = await (await fetch(baseURL + '/chat/completions', { method: 'POST', headers, body })).json();
       return answer.choices[0].message.content;
     };
     const run = async (task, context) => Number((await ask(task, context)).length >= 0);
     test('works', () => expectAgent(run).toReach(0.8, { ...settings, savePath: ${JSON.stringify(join(folder, 'works'))} }));
     test('is broken', () => {
       const broken = async (task, context) => ((await run(task, context)) === 1 ? 0 : 1);
       return expectAgent(broken).toReach(0.8, { ...settings, savePath: ${JSON.stringify(join(folder, 'broken'))} });
     });
     test('throws', () => {
       const throwing = async ({ missing }) => missing.length;
       return expectAgent(throwing).toReach(0.8, { ...settings, savePath: ${JSON.stringify(join(folder, 'throws'))} });
     });`,
  );
  const program = join(packages, '../node_modules/vitest/vitest.mjs');
  const environment = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };
  const { stdout, code } = await promisify(execFile)(process.execPath, [program, 'run', '--root', folder], {
    env: environment,
  }).then(
    (result) => ({ ...result, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  expect(stdout).toMatch(/Tests {2}2 failed \| 1 passed/);
  expect(stdout).toMatch(
    /is broken.*\n\s+→ not reached: reward of at least 0.8\n\s+found 0.000 \(0.000 … 0.\d+\) in 4 rollouts/,
  );
  expect(stdout).toMatch(
    /throws.*\n\s+→ nothing was scored: all rollouts failed\n\s+4 rollouts failed: run: TypeError: .*agent.test.ts:\d+/,
  );
  expect(code).toBe(1);
}, 600_000);
