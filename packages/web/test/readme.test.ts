// The whole program in headless Chromium: the same command has the same metrics as in Node, and resumes after its page was closed.
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { isExhaustive, newFolder, when } from '@bowyer/testing';
import { makeEnv } from '@bowyer/envs';
import type { BrowserContext, Page } from 'playwright-core';
import { bundlePage, CHROMIUM, openBrowser, runInPage, servePage, SOFTWARE_GPU, type PageRun } from './page-server.js';
import type { Learned } from './webgpu-page.js';

const program = join(import.meta.dirname, '../../runner/dist/bundle/main.js');
const ITERATIONS = isExhaustive() ? 20 : 3;

let served: { server: Server; address: string };
let browser: BrowserContext;

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(served.address);
  return page;
}

const small = ['env.max_turns=8', 'policy.n_embd=32', 'policy.n_layer=1'];
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
  ...small,
];
const groups = ['--config-name', 'grpo_20q', ...short, 'algorithm.rollout.group_size=4', 'warm_start.epochs=2'];

const commands: Readonly<Record<string, readonly string[]>> = {
  archer: ['--config-name', 'archer_debug', ...short],
  grpo: groups,
  dpo: [...groups, 'device.threads=2', 'algorithm=dpo', 'algorithm.pairs_per_group=2', 'algorithm.actor.lr=0.001'],
};

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (text: string): Row[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
const isTime = (key: string): boolean => /seconds|per_second|time|memory/.test(key);
/** Returns the metrics of the run `NAME` in the files of a page. */
const metricsIn = (files: PageRun['files'], name: string): Row[] =>
  rowsOf(Buffer.from(files[`${name}/metrics.jsonl`]!, 'base64').toString());

/** Runs a command in Node. @param stopAt a text; the run is stopped when it is printed */
async function runInNode(argv: readonly string[], cwd: string, stopAt?: string): Promise<Row[]> {
  const child = spawn(process.execPath, [program, ...argv, 'save_path=run'], { cwd });
  let printed = '';
  let isStopped = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      // A second SIGINT would end the process with its lock on the folder, which a page waits for.
      if (stopAt !== undefined && !isStopped && printed.includes(stopAt)) isStopped = child.kill('SIGINT');
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0 && stopAt === undefined) throw new Error(printed);
  return rowsOf(await readFile(join(cwd, 'run/metrics.jsonl'), 'utf8'));
}

/** Compares all figures but times. Rounding decides some: the sign of a margin that is 0, and greedy games with equally likely tokens. */
function expectEqual(page: readonly Row[], node: readonly Row[]): void {
  expect(page).toHaveLength(node.length);
  const far: [iteration: number, key: string, found: unknown, expected: unknown][] = [];
  for (const [i, expected] of node.entries()) {
    expect(Object.keys(page[i]!)).toEqual(Object.keys(expected));
    for (const [key, value] of Object.entries(expected)) {
      const found = page[i]![key];
      if (isTime(key)) continue;
      if (key === 'preferences/accuracy' && Math.abs(expected['preferences/margin'] as number) < 1e-6) continue;
      if (typeof value !== 'number') expect([key, found]).toEqual([key, value]);
      else if (Math.abs((found as number) - value) > 1e-4 * (1 + Math.abs(value))) far.push([i, key, found, value]);
    }
  }
  const ofGames = far.filter(([, key]) => key.startsWith('eval/'));
  expect(new Set(ofGames.map(([i]) => i)).size).toBeLessThanOrEqual(isExhaustive() ? 1 : 0);
  expect(far.filter((one) => !ofGames.includes(one))).toEqual([]);
}

when(CHROMIUM !== undefined, 'there is no Chromium').describe('in Chromium', () => {
  beforeAll(async () => {
    const bundled = async (name: string, file: string): Promise<Record<string, string>> => {
      const { text, chunks } = await bundlePage(`export * from '${file}'`);
      return { [`/page/${name}.js`]: text, ...chunks };
    };
    served = await servePage(true, {
      ...(await bundled('clone', '../../../examples/3-clone-and-sample.ts')),
      ...(await bundled('gradients', '../../graph/test/gradients-page.ts')),
      ...(await bundled('library', './library-page.ts')),
      ...(await bundled('webgpu', './webgpu-page.ts')),
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

  test('training and sampling on WebGPU, in software, are those on WebAssembly', async () => {
    const learned = async (context: BrowserContext, device: 'cpu' | 'webgpu'): Promise<Learned> => {
      const page = await context.newPage();
      await page.goto(served.address);
      const found = await page.evaluate(async (device) => {
        const address = '/page/webgpu.js';
        return ((await import(address)) as typeof import('./webgpu-page.js')).learned(device);
      }, device);
      await page.close();
      return found;
    };
    const withGpu = await openBrowser(SOFTWARE_GPU);
    try {
      const [expected, found] = [await learned(browser, 'cpu'), await learned(withGpu, 'webgpu')];
      expect(found.text).toBe(expected.text);
      expect(found.losses.at(-1)).toBeLessThan(found.losses[0]! - 1);
      for (const key of ['losses', 'logprobs'] as const) {
        expect(found[key]).toHaveLength(expected[key].length);
        for (const [i, value] of expected[key].entries()) expect(Math.abs(found[key][i]! - value)).toBeLessThan(1e-4);
      }
    } finally {
      await withGpu.close();
    }
  });

  // DPO plays groups of episodes as GRPO does, and the test of operators has the graph of its loss.
  const compared = Object.keys(commands).filter((name) => isExhaustive() || name !== 'grpo');
  test.each(compared)('%s has the metrics that it has in Node', async (name) => {
    const page = await openPage();
    const [{ code, files, lines }, inNode] = await Promise.all([
      runInPage(page, { argv: [...commands[name]!, `save_path=${name}`], download: [`${name}/metrics.jsonl`] }),
      runInNode(commands[name]!, newFolder()),
    ]);
    expect(code).toBe(0);
    expect(lines.join('\n')).toContain(name === 'dpo' ? 'with 2 threads' : 'with 1 thread');
    expectEqual(metricsIn(files, name), inNode);
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
      const [given, smaller] = ["'save_path=first'", JSON.stringify(['save_path=first', ...small]).slice(1, -1)];
      const content = /```js\n([\s\S]*?)```/.exec(readme)![1]!;
      expect(content).toContain(given);
      await page.addScriptTag({ type: 'module', content: content.replace(given, smaller) });
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

  const after = (iteration: number): string => `evaluation after iteration ${iteration}`;

  // site.test.ts reloads a page within a run.
  test('a run that was stopped in Node resumes in a page, is stopped there and resumes in Node, to the same metrics', async () => {
    const folder = newFolder();
    expect((await runInNode(commands.archer!, folder, after(1))).length).toBeLessThan(2);
    const upload: Record<string, string> = {};
    for (const name of await readdir(join(folder, 'run'), { recursive: true })) {
      const path = join(folder, 'run', name);
      if ((await stat(path)).isFile()) upload[`run/${name}`] = await readFile(path, 'base64');
    }
    const page = await openPage();
    const argv = [...commands.archer!, 'save_path=run'];
    const download = ['run/', 'archer/metrics.jsonl'];
    const resumed = await runInPage(page, { argv, upload, stopAt: after(2), download });
    await page.close();
    const inPage = metricsIn(resumed.files, 'run').length;
    expect(inPage).toBeGreaterThan(0);
    expect(inPage).toBeLessThan(ITERATIONS);
    const last = newFolder();
    for (const [path, content] of Object.entries(resumed.files).filter(([path]) => path.startsWith('run/'))) {
      await mkdir(join(last, dirname(path)), { recursive: true });
      await writeFile(join(last, path), content, 'base64');
    }
    expectEqual(await runInNode(commands.archer!, last), metricsIn(resumed.files, 'archer'));
  });
});
