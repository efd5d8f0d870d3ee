// The whole program in headless Chromium: the same command has the same metrics as in Node, and resumes after its page was closed.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isExhaustive, newFolder, when } from '@bowyer/testing';
import { makeEnv } from '@bowyer/envs';
import type { BrowserContext, Page } from 'playwright-core';
import { bundlePage, CHROMIUM, openBrowser, runInPage, servePage } from './page-server.js';

const program = join(import.meta.dirname, '../../runner/dist/bundle/main.js');
const ITERATIONS = isExhaustive() ? 20 : 3;

let served: { server: Server; address: string };
let browser: BrowserContext;

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(served.address);
  return page;
}

const short = [
  'device=cpu',
  'device.threads=1',
  `algorithm.iterations=${ITERATIONS}`,
  'algorithm.eval.freq=1',
  'algorithm.eval.size=8',
  'algorithm.rollout.size=8',
  'algorithm.save_freq=1',
  'task.test_size=8',
  'demonstrations.count=60',
  'save_path=run',
];

const commands: Readonly<Record<string, readonly string[]>> = {
  archer: ['--config-name', 'archer_debug', ...short],
  grpo: ['--config-name', 'grpo_20q', ...short, 'algorithm.rollout.group_size=4', 'warm_start.epochs=2'],
};

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (text: string): Row[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
const isTime = (key: string): boolean => /seconds|per_second|time|memory/.test(key);

async function metricsInNode(argv: readonly string[]): Promise<Row[]> {
  const cwd = newFolder();
  await promisify(execFile)(process.execPath, [program, ...argv], { cwd });
  return rowsOf(await readFile(join(cwd, 'run/metrics.jsonl'), 'utf8'));
}

/** Compares all figures but times. */
function expectEqual(page: readonly Row[], node: readonly Row[]): void {
  expect(page).toHaveLength(node.length);
  const far: unknown[] = [];
  for (const [i, expected] of node.entries()) {
    expect(Object.keys(page[i]!)).toEqual(Object.keys(expected));
    for (const [key, value] of Object.entries(expected)) {
      const found = page[i]![key];
      if (isTime(key)) continue;
      if (typeof value !== 'number') expect([key, found]).toEqual([key, value]);
      else if (Math.abs((found as number) - value) > 1e-4 * (1 + Math.abs(value))) far.push([i, key, found, value]);
    }
  }
  expect(far).toEqual([]);
}

when(CHROMIUM !== undefined, 'there is no Chromium').describe('in Chromium', () => {
  beforeAll(async () => {
    const bundled = async (file: string): Promise<string> => (await bundlePage(`export * from '${file}'`)).text;
    served = await servePage(true, {
      '/page/clone.js': await bundled('../../../examples/3-clone-and-sample.ts'),
      '/page/gradients.js': await bundled('../../graph/test/gradients-page.ts'),
      '/page/library.js': await bundled('./library-page.ts'),
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    served?.server.close();
  });

  test('the gradient of every operator agrees with central differences, or is refused', async () => {
    const page = await openPage();
    const found = await page.evaluate(async () => {
      const address = '/page/gradients.js';
      const { gradientsInPage } = (await import(address)) as { gradientsInPage(): Promise<Record<string, string>> };
      return gradientsInPage();
    });
    await page.close();
    expect(Object.keys(found).length).toBeGreaterThan(70);
    expect(Object.entries(found).filter(([, how]) => how !== 'agrees' && how !== 'is refused')).toEqual([]);
  });

  test('the entries of the packages compose a config, read weights where a page has them, and play', async () => {
    const page = await openPage();
    const found = await page.evaluate(async () => {
      const address = '/page/library.js';
      const library = (await import(address)) as typeof import('./library-page.js');
      return { config: library.composed(), tensors: await library.tensorsRead(), played: await library.played() };
    });
    await page.close();
    expect(found.config).toEqual({ agent: { name: 'dqn' }, note: 'dqn_1' });
    expect(found.tensors).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    const env = makeEnv('twenty_questions', { words: 'subset10' });
    const { observation } = await env.reset({ seed: 4 });
    expect(found.played).toEqual([observation, (await env.step('is it alive?')).observation]);
  });

  test('an example of the repository that trains a model runs with the entries', async () => {
    const page = await openPage();
    const printed: string[] = [];
    page.on('console', (message) => printed.push(message.text().trimEnd()));
    await page.evaluate(async () => {
      const address = '/page/clone.js';
      await import(address);
    });
    await page.close();
    expect(printed.slice(-5)).toEqual([
      'step 40: 0.012 nats an utterance', // as in Node
      'step 60: 0.007 nats an utterance',
      'the sky is blue',
      'the grass is green',
      'the night is dark and full of stars',
    ]);
  });

  test.each(Object.keys(commands))('%s has the metrics that it has in Node', async (name) => {
    const argv = commands[name]!.map((word) => word.replace('save_path=run', `save_path=${name}`));
    const page = await openPage();
    const file = `/work/${name}/metrics.jsonl`;
    const { code, read } = await runInPage(page, { argv, read: [file] });
    expect(code).toBe(0);
    expectEqual(rowsOf(read[file]!), await metricsInNode(commands[name]!));
    await page.close();
  });

  test('the program of the README runs, also on one thread in a page that is not isolated', async () => {
    const plain = await servePage(false);
    try {
      const page = await browser.newPage();
      await page.goto(plain.address);
      const printed: string[] = [];
      page.on('console', (message) => printed.push(message.text()));
      const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
      await page.addScriptTag({ type: 'module', content: /```js\n([\s\S]*?)```/.exec(readme)![1] });
      const last = await page.waitForEvent('console', {
        predicate: (message) => message.text().startsWith('0 {'),
        timeout: 150_000,
      });
      expect(rowsOf(last.text().slice(2))).toHaveLength(3);
      expect(printed.join('\n')).toContain('1 process runs this, with 1 thread');
      await page.close();
    } finally {
      plain.server.close();
    }
  });

  test('the command of a run that was stopped resumes it in a new page, to the same metrics', async () => {
    const argv = [...commands.archer!.slice(0, -1), 'save_path=stopped'];
    const file = '/work/stopped/metrics.jsonl';
    const first = await openPage();
    const stopped = await runInPage(first, { argv, read: [file], stopAt: 'evaluation after iteration 1' });
    expect(rowsOf(stopped.read[file]!).length).toBeLessThan(ITERATIONS);
    await first.close();
    const second = await openPage();
    const { code, read } = await runInPage(second, { argv, read: [file, '/work/archer/metrics.jsonl'] });
    expect(code).toBe(0);
    expectEqual(rowsOf(read[file]!), rowsOf(read['/work/archer/metrics.jsonl']!));
    await second.close();
  });
});
