// Pages in headless Chromium: they open offline and fast, fit a phone, can be read in both themes and used by keyboard.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { when } from '@bowyer/testing';
import {
  renderPage,
  type ComparisonData,
  type Dialogue,
  type PageData,
  type RunData,
  type TreeCall,
} from '../src/index.js';
import { lanesOf } from '../src/web/call-tree-map.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const { test: inBrowser } = when(CHROMIUM !== undefined, 'there is no Chromium');

const POINTS = 1000;
const METRICS = 60;

const dialogue = (id: string, reasons: string[], iteration: number): Dialogue => ({
  id,
  source: 'eval',
  iteration,
  episode: 3,
  seed: 7,
  item: 'a </script> word',
  return: -2,
  turnCount: 1,
  won: false,
  surprise: 1.5,
  reasons,
  ending: 'Nothing happens.',
  turns: [
    {
      observation: 'You are in a kitchen.',
      action: 'eat lamp',
      reward: -1,
      q: -3,
      v: -2,
      advantage: -1,
      tdError: 0.5,
      logprob: -4.1,
      surprisal: 2,
      invalid: true,
      validActions: ['look', 'eat apple'],
      tokens: [
        { text: 'eat', logprob: -0.1 },
        { text: ' lamp', logprob: -4 },
      ],
      preferred: [{ action: 'eat apple', q: -1 }],
      retrieved: ['demonstration 17, turn 2'],
    },
  ],
});

const run: RunData = {
  kind: 'run',
  title: 'cookingworld · archer',
  status: 'interrupted',
  config: 'seed: 0\n',
  notes: ['a torn line'],
  facts: [{ label: 'Command', value: `bowyer ${'key=value '.repeat(12)}` }],
  warnings: [{ level: 'bad', title: 'Collapse', text: 'It says the same every time.' }],
  tables: [
    {
      title: 'Final test',
      header: ['policy', 'return', '95 % interval', 'win', 'invalid', 'repeated', 'turns'],
      rows: [['last', '1.00', '0.50 … 1.50', '0.5', '0.1', '0.0', '9.00']],
    },
  ],
  metrics: {
    xLabel: 'iteration',
    rows: 100_000,
    axes: [Array.from({ length: POINTS }, (_, i) => 100 * (i + 1))],
    series: Array.from({ length: METRICS }, (_, m) => ({
      key: `losses/m${m}`,
      axis: 0,
      values: Array.from({ length: POINTS }, (_, i) => Number(Math.sin(i / 50 + m).toPrecision(5))),
      low: Array<number>(POINTS).fill(-1),
      high: Array<number>(POINTS).fill(1),
    })),
  },
  charts: [
    { title: 'Losses', keys: ['losses/m0', 'losses/m1'] },
    { title: 'Absent', keys: ['losses/none'] },
  ],
  episodes: [],
  episodeCount: 2,
  dialogues: [dialogue('eval/1/3', ['worst', 'over time'], 1), dialogue('eval/2/3', ['over time'], 2)],
};

const call = (number: number, parent: number | null, more: Partial<TreeCall> = {}): TreeCall => ({
  call: number,
  choice: 0,
  parent,
  read: [{ speaker: 'user', text: `question ${number}` }],
  said: `answer ${number}`,
  tools: [],
  promptTokens: 9,
  newTokens: 3,
  answerTokens: 2,
  turn: number,
  rewards: [],
  marks: [],
  ...more,
});

/** A planner, the agent to which it delegates, and two continuations of one answer. */
const rollout: Dialogue = {
  ...dialogue('rollout/4', ['last'], 1),
  source: 'rollout',
  turns: [0.5, -0.5, 0, 1].map((advantage) => ({ observation: '', action: '', reward: 0, advantage })),
  tree: {
    rewards: [
      { name: 'reward', value: 1 },
      { name: 'format', value: 0.5 },
    ],
    metrics: [],
    status: 'ended',
    calls: [
      call(0, null, { said: '', tools: [{ name: 'delegate', arguments: '{"to":"</script>"}', failed: false }] }),
      call(1, null, { tools: [{ name: 'look_up', arguments: '{}', result: 'Error: none', failed: true }] }),
      call(2, 0, { reasoning: 'a thought' }),
      call(3, 0),
      call(4, 3, { turn: undefined, marks: ['not delivered'] }),
    ],
  },
};

const comparison: ComparisonData = {
  kind: 'comparison',
  title: 'a against b',
  facts: [],
  verdicts: ['b is better'],
  warnings: [],
  notes: [],
  tables: [{ title: 'Means', header: ['setting', 'return'], rows: [['a', '1.00 ± 0.10']] }],
  charts: [
    {
      title: 'Return',
      xLabel: 'iteration',
      series: [{ setting: 'a', x: [1, 2], mean: [1, 2], low: [0, 1], high: [2, 3] }],
    },
  ],
  pairs: [{ title: 'apple', sides: [dialogue('a', [], 1), dialogue('b', [], 1)] }],
};

let folder: string;
let browser: Browser | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowyer-page-'));
  if (CHROMIUM) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

async function opened(data: PageData, options: { width: number; colorScheme: 'light' | 'dark' }): Promise<Page> {
  const path = join(folder, `${data.kind}.html`);
  await writeFile(path, await renderPage(data));
  const { width, colorScheme } = options;
  const page = await browser!.newPage({ viewport: { width, height: 800 }, colorScheme, offline: true });
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(`file://${path}`);
  return page;
}

/** Expects that every text has the contrast of WCAG AA with its background. */
async function expectContrast(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { passed, failed } = await page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe;
    const { passes, violations } = await run({ runOnly: ['color-contrast'] });
    return { passed: passes[0].nodes.length, failed: violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)) };
  });
  expect(failed).toEqual([]);
  expect(passed).toBeGreaterThan(10);
}

inBrowser('a report opens soon with the metrics of 100,000 rows, and draws when it is seen', async () => {
  const page = await opened(run, { width: 1280, colorScheme: 'light' });
  const milliseconds = await page.evaluate(() => {
    const [{ domContentLoadedEventEnd, startTime }] = performance.getEntriesByType(
      'navigation',
    ) as PerformanceNavigationTiming[];
    return domContentLoadedEventEnd - startTime;
  });
  // It takes a second on an idle core. The bound is wider, since tests run at the same time; work for each row would take minutes.
  expect(milliseconds).toBeLessThan(20_000);
  await page.locator('.uplot canvas').first().waitFor();
  expect(await page.locator('figure').count()).toBe(1); // absent metrics have no chart
  await page.close();
});

inBrowser.each(['light', 'dark'] as const)('%s: every text has the contrast of WCAG AA', async (colorScheme) => {
  const page = await opened(run, { width: 1280, colorScheme });
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  await page.waitForTimeout(50);
  await expectContrast(page);
  await page.close();
});

inBrowser('at 390 px nothing is lost beyond the edge, and every figure of a row is in sight', async () => {
  for (const data of [run, comparison]) {
    const page = await opened(data, { width: 390, colorScheme: 'light' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const rights = await page
      .locator('table.wide td')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
    expect(Math.max(0, ...rights)).toBeLessThanOrEqual(390);
    await page.close();
  }
});

inBrowser('charts far below the window are drawn without being scrolled to, and at once for the printer', async () => {
  const charts = Array.from({ length: 12 }, (_, m) => ({ title: `Chart ${m}`, keys: [`losses/m${m}`] }));
  const page = await opened({ ...run, charts }, { width: 390, colorScheme: 'light' });
  await page.locator('.uplot canvas').nth(11).waitFor({ state: 'attached' });
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.close();
  const printed = await browser!.newPage({ viewport: { width: 390, height: 800 }, offline: true });
  await printed.addInitScript(() => Object.assign(window, { requestIdleCallback: () => 0 })); // the test's browser never becomes idle
  await printed.goto(`file://${join(folder, 'run.html')}`);
  expect(await printed.locator('.uplot canvas').count()).toBeLessThan(12);
  await printed.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await printed.locator('.uplot canvas').count()).toBe(12);
  await printed.close();
});

inBrowser(
  'a title is not as narrow as its table; texts are set to the left, figures to the right, with one kind of minus',
  async () => {
    const tables = [
      {
        title: 'A title of several words',
        header: ['k', 'n', 'text'],
        rows: [
          ['a', '-1.5', 'x'],
          ['b', '-0.20 … 3', 'y-1'],
        ],
        notes: ['mean -0.5 on 2026-11-25'],
      },
    ];
    const page = await opened({ ...run, tables }, { width: 390, colorScheme: 'light' });
    const block = page.locator('#results .block');
    expect((await block.locator('.title').boundingBox())!.height).toBeLessThan(35);
    expect(await block.locator('td').allTextContents()).toEqual(['−1.5', 'x', '−0.20 … 3', 'y-1']);
    expect(await block.locator('.note').innerText()).toBe('mean −0.5 on 2026-11-25');
    const aligned = await block
      .locator('tbody tr')
      .first()
      .locator('td')
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).textAlign));
    expect(aligned).toEqual(['right', 'left']);
    await page.close();
  },
);

inBrowser('the agent’s action, its values, what the critic preferred; arrow keys read a chart aloud', async () => {
  const page = await opened(run, { width: 1280, colorScheme: 'light' });
  const text = await page.locator('#episodes').innerText();
  for (const part of [
    'eat lamp',
    'not understood',
    'a </script> word',
    '2 valid actions',
    'would have preferred eat apple',
    'Read from the memory: demonstration 17, turn 2',
    '+0.5',
  ])
    expect(text).toContain(part);
  await page.locator('.uplot canvas').first().waitFor();
  await page.locator('.plot').first().focus();
  await page.keyboard.press('Home');
  expect(await page.locator('[aria-live]').first().textContent()).toContain(
    'iteration 100: losses/m0 0, losses/m1 0.841',
  );
  await page.locator('#changes summary').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('#changes article').nth(1).waitFor();
  expect(await page.locator('#changes article').count()).toBe(2);
  await page.close();
});

test('a branch of the tree has a line of its own, which its first continuation keeps', () => {
  expect(lanesOf(rollout.tree!.calls)).toEqual([0, 1, 0, 2, 2]);
});

inBrowser.each(['light', 'dark'] as const)(
  "%s: the tree of an agent's rollout, from the picture to the call",
  async (colorScheme) => {
    const audit = [{ title: 'Calls of tools', header: ['tool', 'failed'], rows: [['look_up', '100 %']] }];
    const page = await opened({ ...run, audit, dialogues: [rollout] }, { width: 390, colorScheme });
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    await page.waitForTimeout(50);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectContrast(page);
    const nodes = page.locator('svg.tree a');
    expect(await nodes.evaluateAll((all) => all.map((node) => node.getAttribute('class')))).toEqual([
      'call better',
      'call failed worse',
      'call',
      'call better',
      'call unlearned',
    ]);
    expect(await page.locator('svg.tree path').count()).toBe(3);
    const shown = await page.locator('#episodes').innerText();
    for (const part of [
      '5 calls · 3 branches · 2 calls of tools (1 failed)',
      'delegate({"to":"</script>"})',
      'Branch 3: continues call 0',
      'not delivered',
      'a thought',
      'question 4',
    ])
      expect(shown).toContain(part);
    expect(await page.locator('#audit').innerText()).toContain('look_up');
    await nodes.nth(3).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.querySelector(':target')!.textContent)).toContain('answer 3');
    await page.close();
  },
);
