// Tests the dashboard in headless Chromium as a person uses it: with files of real runs, the real server, and a game with a
// scripted policy.
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { HttpListener } from '@bowyer/serving';
import { newFolder, when } from '@bowyer/testing';
import type { GameView, PlayTable } from '../src/tasks/dashboard/play-table.js';
import { Routes } from '../src/tasks/dashboard/routes.js';
import { RunIndex } from '../src/tasks/dashboard/run-index.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const { test: inBrowser } = when(CHROMIUM !== undefined, 'there is no Chromium');

const TOKEN = 'a-long-random-text';
const folder = newFolder();
let listener: HttpListener;
let routes: Routes;
let browser: Browser;
let page: Page;

const turn = (action: string, reply: string) => ({
  action,
  reply,
  reward: -1,
  terminated: true,
  truncated: false,
  info: {},
});
const row = (iteration: number, value: number) =>
  `{"iteration":${iteration},"rollout/episodic_return":${value},"losses/q1":1}\n`;

async function writeRun(name: string, seed: number, last: number): Promise<void> {
  const run = join(folder, name);
  await mkdir(join(run, 'trajectories'), { recursive: true });
  await writeFile(join(run, 'run-config.json'), JSON.stringify({ seed, agentType: 'archer', env: { name: 'maze' } }));
  await mkdir(join(run, '.hydra'));
  await writeFile(join(run, '.hydra', 'config.yaml'), `seed: ${seed}\nenv:\n  name: maze\n`);
  await writeFile(join(run, 'metrics.jsonl'), row(1, -9) + row(2, last));
  const episodes = ['is it a Cat?', 'is it a dog?'].map((action, i) => {
    const record = { episode: i, iteration: 1, seed: i, episodic_return: -1, opening: 'Guess.\n', segments: [] };
    return `${JSON.stringify({ ...record, turns: [turn(`${action}\n`, 'No.\n')] })}\n`;
  });
  await writeFile(join(run, 'trajectories', 'rollout.jsonl'), episodes.join(''));
}

const view = (more: Partial<GameView>): GameView => ({
  game: 'g',
  policy: 'checkpoint 3',
  observation: '',
  action: null,
  validActions: ['go north'],
  ended: null,
  ...more,
});
const table = {
  open: (_: string, seed: number) => Promise.resolve(view({ observation: `A maze of seed ${seed}.` })),
  step: (_: string, given: string | null) => {
    const action = {
      by: given === null ? ('policy' as const) : ('you' as const),
      text: given ?? 'go south',
      reward: given === null ? 1 : 0,
    };
    return Promise.resolve(view({ action, observation: 'You moved.', ended: given === null ? 'won' : null }));
  },
} as PlayTable;

beforeAll(async () => {
  await writeRun('alpha', 1, -3);
  await writeRun('beta', 2, -5);
  // a running process owns the folder
  for (const name of ['run.lock', 'takes-requests']) await writeFile(join(folder, 'beta', name), '{}');
  const index = await RunIndex.open(folder);
  routes = new Routes({ index, table, token: TOKEN, log: () => undefined });
  listener = await HttpListener.listen({
    host: '127.0.0.1',
    port: 0,
    respond: (request, response) => routes.respond(request, response),
    refuse: ({ status, message }) => ({ status, json: { error: message } }),
  });
  if (!CHROMIUM) return;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => {
    throw error;
  });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${listener.origin}/#token=${TOKEN}`);
});
afterAll(async () => {
  await browser?.close();
  routes.close();
  await listener.close();
});

const firstColumn = () => page.locator('table.list tbody th').allTextContents();
const asked = async () => JSON.parse(await readFile(join(folder, 'beta', 'control.json'), 'utf8')) as object;

inBrowser('the list: filter, sort; the token leaves the address; a running run is followed', async () => {
  await page.getByText('2 of 2 runs, 1 running').waitFor();
  expect(page.url()).toBe(`${listener.origin}/`);
  await page.getByRole('button', { name: 'return' }).click();
  expect(await firstColumn()).toEqual(['alpha', 'beta']);
  await page.getByRole('button', { name: 'return' }).click();
  expect(await firstColumn()).toEqual(['beta', 'alpha']);
  await page.getByLabel('filter runs').fill('running');
  expect(await firstColumn()).toEqual(['beta']);
  await appendFile(join(folder, 'beta', 'metrics.jsonl'), row(3, -2.5));
  await page.getByRole('cell', { name: '−2.5' }).waitFor();
  await page.getByLabel('filter runs').fill('');
});

inBrowser('two runs are compared: their curves, last figures, and where their configs differ', async () => {
  await page.getByText('Compare runs').click();
  for (const name of ['alpha', 'beta']) await page.getByLabel(name).check();
  await page.getByRole('button', { name: 'Compare the chosen runs' }).click();
  await page.getByText('Comparison of 2 runs').waitFor();
  expect(await page.getByRole('table', { name: 'Differences of their configs' }).innerText()).toMatch(/seed\s+1\s+2/);
  await page.locator('.uplot canvas').first().waitFor();
  await page.getByText('All runs').click();
});

inBrowser('one run: its curves follow, it is paused, stopped, and asked for a checkpoint', async () => {
  await page.getByRole('button', { name: 'beta' }).click();
  await page.locator('.uplot canvas').first().waitFor();
  for (const [name, action] of [
    ['Pause', 'pause'],
    ['Write a checkpoint', 'checkpoint'],
    ['Stop', 'stop'],
  ]) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByText(`Asked the run to ${action};`).waitFor();
    expect(await asked()).toEqual({ action });
  }
  await appendFile(join(folder, 'beta', 'metrics.jsonl'), row(4, -1.25));
  await page.locator('.legend', { hasText: '−1.25' }).first().waitFor();
});

inBrowser('words are found in episodes, and one opens', async () => {
  await page.getByLabel('search in episodes').fill('a cat');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('1 episodes').waitFor();
  await page.locator('#episodes details summary').first().click();
  await page.getByText('is it a Cat?').waitFor();
});

inBrowser('a game: a turn by the person, one by the policy, its end', async () => {
  await page.getByLabel('seed', { exact: true }).last().fill('7');
  await page.getByRole('button', { name: 'Begin an episode' }).click();
  await page.getByText('A maze of seed 7.').waitFor();
  await page.getByLabel('your action').fill('go north');
  await page.getByRole('button', { name: 'Act', exact: true }).click();
  await page.getByText('you, reward 0').waitFor();
  await page.getByRole('button', { name: 'Let the policy act' }).click();
  await page.getByText('The episode is won.').waitFor();
});

inBrowser('on a phone every figure of the list is in view, and moments have the same form everywhere', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, locale: 'en-US' });
  const phone = await context.newPage();
  await phone.goto(`${listener.origin}/#token=${TOKEN}`);
  await phone.getByText('2 of 2 runs').waitFor();
  for (const cell of await phone.locator('table.list tbody :is(th, td)').all()) {
    const { x, width } = (await cell.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
  }
  expect(await phone.locator('td[data-label=changed]').first().innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  await context.close();
});

inBrowser('a folder without runs says what to do, until there is one', async () => {
  const empty = newFolder();
  const emptyRoutes = new Routes({ index: await RunIndex.open(empty), table, token: TOKEN, log: () => undefined });
  const own = await HttpListener.listen({
    host: '127.0.0.1',
    port: 0,
    respond: (request, response) => emptyRoutes.respond(request, response),
    refuse: ({ status, message }) => ({ status, json: { error: message } }),
  });
  const other = await browser.newPage();
  await other.goto(`${own.origin}/#token=${TOKEN}`);
  await other.getByText('This folder has no runs yet').waitFor();
  expect(await other.getByLabel('filter runs').isVisible()).toBe(false);
  await mkdir(join(empty, 'first'));
  await writeFile(join(empty, 'first', 'metrics.jsonl'), row(1, -9));
  await other.getByText('1 of 1 runs').waitFor({ timeout: 15_000 });
  await other.close();
  emptyRoutes.close();
  await own.close();
});

inBrowser('without the token the page shows nothing but the reason; another site cannot act', async () => {
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(`${listener.origin}/`);
  await other.getByText('the token is missing or wrong').waitFor();
  expect(await other.locator('table').count()).toBe(0);
  await rm(join(folder, 'beta', 'control.json'));
  // A page of another origin that knows the token. The browser sends this page's origin.
  await other.goto('data:text/html,<p>foreign</p>');
  const outcome = await other.evaluate(
    ([origin, token]) =>
      fetch(`${origin}/api/control`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"id":"beta","action":"stop"}',
      }).then(
        ({ status }) => status,
        () => 'blocked',
      ),
    [listener.origin, TOKEN],
  );
  expect(outcome).toBe('blocked');
  expect(existsSync(join(folder, 'beta', 'control.json'))).toBe(false);
  await context.close();
});
