// The pages of the site in headless Chromium: what they show, and that Node takes what they made.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { newFolder, serveFolder, when } from '@bowyer/testing';
import axe from 'axe-core';
import { unzipSync } from 'fflate';
import type { BrowserContext, Page } from 'playwright-core';
import { CHROMIUM, openBrowser } from './page-server.js';

const program = join(import.meta.dirname, '../../runner/dist/bundle/main.js');
const site = join(import.meta.dirname, '../../../site');
const run = promisify(execFile);

jest.setTimeout(600_000); // only what hangs fails
let served: { server: Server; address: string };
let browser: BrowserContext;
const hosts = new Set<string>();

async function openPage(path: string): Promise<Page> {
  const page = await browser.newPage();
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(new URL(path, served.address).href);
  return page;
}

/** Waits for what the page says of its work. @throws with its status where that is not said */
async function said(page: Page, text: RegExp): Promise<void> {
  const status = page.locator('#status').filter({ hasText: text });
  await status.waitFor({ timeout: 250_000 }).catch(async (error: Error) => {
    throw new Error(`the page says '${await page.locator('#status').textContent()}'`, { cause: error });
  });
}

/** Looks at a page for what makes it hard to use: wide and light, narrow and dark. */
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
    });
    expect({ colorScheme, width, found }).toEqual({ colorScheme, width, found: [] });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
}

const conversations = [
  ['Hello', 'Hi, I am small.'],
  ['Who are you?', 'I am a bow.'],
  ['What is red?', 'A rose is red.'],
];
const linesOf = (pairs: readonly string[][]): string =>
  pairs
    .map(([user, assistant]) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: user },
          { role: 'assistant', content: assistant },
        ],
      }),
    )
    .join('\n');

/** Runs a command in Node, as it is typed, in a folder. */
const inNode = (cwd: string, line: string): Promise<unknown> =>
  run(process.execPath, [program, '--config-name', ...line.split(' ')], { cwd });

/** Asks a model in Node for its most likely answer. */
async function answerInNode(cwd: string, model: string, question: string): Promise<string> {
  writeFileSync(join(cwd, 'in.jsonl'), JSON.stringify({ messages: [{ role: 'user', content: question }] }));
  await inNode(cwd, `generate model=${model} input=in.jsonl output=out.jsonl do_sample=false device.threads=1`);
  return (JSON.parse(readFileSync(join(cwd, 'out.jsonl'), 'utf8')) as { text: string }).text;
}

async function answerInPage(page: Page, question: string): Promise<string> {
  await page.fill('#text', question);
  await page.press('#text', 'Tab'); // to who speaks, who answers, the temperature, the tokens and the button
  for (let i = 0; i < 4; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await said(page, /tokens per second/);
  return (await page.locator('.message.assistant .tokens').last().textContent())!;
}

/** Drops a file or folder of this machine on an element, as a person does. */
async function drop(page: Page, selector: string, path: string): Promise<void> {
  await page.locator(selector).scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
  const devtools = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', {
      type,
      x: x + width / 2,
      y: y + height / 2,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
}

when(CHROMIUM !== undefined, 'there is no Chromium').describe('in Chromium', () => {
  beforeAll(async () => {
    const built = newFolder();
    await run(process.execPath, [join(site, 'build.mjs'), '--out', built]);
    served = await serveFolder(built, { cached: true });
    browser = await openBrowser();
    browser.setDefaultTimeout(500_000);
  });
  afterEach(() => {
    expect([...hosts]).toEqual([new URL(served.address).origin]); // no page asks another one
  });
  afterAll(async () => {
    await browser?.close();
    served?.server.close();
  });

  test('ArCHer learns on the first screen, its run resumes after a reload, and a person plays with it', async () => {
    const page = await openPage('');
    await page.fill('[name=demonstrations]', '100');
    await page.fill('[name=iterations]', '8');
    await page.getByText('More', { exact: true }).click();
    await page.fill('[name=options]', 'algorithm.save_freq=1 task.test_size=8');
    await page.press('[name=options]', 'Enter');
    await said(page, /^Iteration 3: /);
    await page.click('#settings .stop');
    await said(page, /^Stopped/);
    await page.reload();
    await page.click('#resume');
    await said(page, /^Done after 8 iterations/);
    expect(await page.locator('#log').textContent()).toContain('resumed after');
    const points = (await page.locator('#curve polyline').getAttribute('points'))!.split(' ');
    const worst = Number(await page.locator('#curve .grid').first().getAttribute('y1')); // the return −20
    const best = Number(await page.locator('#curve .grid').last().getAttribute('y1')); // 0
    const returns = points.map((point) => (20 * (Number(point.split(',')[1]) - best)) / (best - worst));
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(returns).toHaveLength(8);
    expect(mean(returns.slice(0, 3))).toBeLessThan(-5.8); // before the policy is updated
    // Random play asks one of four guesses and eight questions: it returns −(1 − p²⁰) / (1 − p) · p = −9.07 with p = 11/12.
    expect(mean(returns.slice(-3))).toBeGreaterThan(-5.2);
    await expectAccessible(page);

    await page.goto(new URL('play.html', served.address).href);
    await said(page, /Choose who plays/);
    await page.click('#agent [type=submit]');
    await said(page, /Question 1 of 20: \S/);
    expect(await page.locator('#words').textContent()).toBe('Think of one of these: football, dog, banana, truck.');
    await expectAccessible(page);
    await page.fill('#question', 'is it an animal?');
    await page.press('#question', 'Enter');
    await said(page, /^1 questions asked/);
    expect(await page.locator('#replies').textContent()).toMatch(/^is it an animal\? (Yes|No)\.$/);
    await page.close();
  });

  test('a game of one’s own is filled in by keyboard, trained at once, and its file is played by Node', async () => {
    const page = await openPage('');
    await page.selectOption('[name=config]', 'bc_20q');
    await page.fill('[name=demonstrations]', '60');
    await page.fill('[name=iterations]', '30');
    await page.getByText('A game of your own').press('Enter');
    await page.press('[name=own]', 'Space');
    await page.press('#add-word', 'Enter');
    await page.keyboard.type('Cow');
    await page.press('#add-question', 'Enter');
    await page.keyboard.type('does it give milk');
    await page.getByLabel('Cow: does it give milk').press('Space');
    await page.getByLabel('Cow: is it alive?').check();
    await expectAccessible(page);
    const command = await page.locator('#command').textContent();
    expect(command).toContain('env.words=game.json');
    await page.click('#train');
    await said(page, /^Done after 30 epochs/);
    expect(await page.locator('#now caption').textContent()).toMatch(/^(bee|horse|kite|rocket|spoon|cow), /);
    const downloading = page.waitForEvent('download');
    await page.click('#own-file');
    const folder = newFolder();
    const file = join(folder, 'game.json');
    await (await downloading).saveAs(file);
    expect((JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>).Cow).toEqual({
      'is it alive?': true,
      'can it fly?': false,
      'is it bigger than a person?': false,
      'does it give milk': true,
    });
    await inNode(folder, `${/--config-name (.*)/.exec(command!)![1]} save_path=run`);

    await page.goto(new URL('play.html', served.address).href);
    await said(page, /Choose who plays/); // the newest agent is chosen
    expect(await page.locator('#words').textContent()).toBe(
      'Think of one of these: bee, horse, kite, rocket, spoon, Cow.',
    );
    await page.fill('#question', 'does it give milk?');
    await page.press('#question', 'Enter');
    await said(page, /^1 questions asked/);
    expect(await page.locator('#replies').textContent()).toMatch(/^does it give milk\? (Yes|No)\.$/);
    await page.close();
  });

  test('a GGUF file is answered as in Node, and an adapter that the page trains is taken by Node', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'data.jsonl'), linesOf(conversations));
    await inNode(folder, 'start_model data=data.jsonl validation_share=0 epochs=60 save_path=run device.threads=1');
    await inNode(folder, 'export model=run format=gguf output=small.gguf');
    await inNode(folder, 'convert input=small.gguf output=small');
    const page = await openPage('model.html');
    await page.setInputFiles('#file', join(folder, 'small.gguf'));
    await said(page, /is ready/);
    const expected = await answerInNode(folder, 'small.gguf', 'Who are you?');
    expect(await answerInPage(page, 'Who are you?')).toBe(expected);
    await drop(page, '#drop', join(folder, 'small'));
    await said(page, /is ready/);
    expect(await answerInPage(page, 'Who are you?')).toBe(expected);
    await page.locator('.tokens button').first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.locator('#likely tr').count()).resolves.toBe(5);

    await page.fill('#conversations', linesOf([['Who are you?', 'A rose.']]));
    await page.fill('[name=epochs]', '30');
    await page.click('#tuning [type=submit]');
    await said(page, /Trained for 30 steps/);
    const downloading = page.waitForEvent('download');
    await page.click('#download-adapter');
    const zip = unzipSync(readFileSync(await (await downloading).path()));
    mkdirSync(join(folder, 'tuned'));
    for (const [name, bytes] of Object.entries(zip)) writeFileSync(join(folder, name), bytes);
    await expectAccessible(page);
    const tuned = await answerInPage(page, 'Who are you?');
    expect(tuned).not.toBe(expected);
    expect(await answerInNode(folder, 'tuned', 'Who are you?')).toBe(tuned);
    await page.close();
  });
});
