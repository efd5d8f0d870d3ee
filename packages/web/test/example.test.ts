// examples/browser-training by Vite: an agent learns in a page, and in the worker of an app.
import { join } from 'node:path';
import { newFolder, when } from '@bowyer/testing';
import type { BrowserContext, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { CHROMIUM, openBrowser } from './page-server.js';

when(CHROMIUM !== undefined, 'there is no Chromium').describe('the example of a page', () => {
  let server: ViteDevServer;
  let browser: BrowserContext;
  beforeAll(async () => {
    server = await createServer({
      root: join(import.meta.dirname, '../../../examples/browser-training'),
      cacheDir: newFolder(),
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
    });
    await server.listen();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = async (name: string): Promise<{ page: Page; problems: string[] }> => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    await page.goto(`${server.resolvedUrls!.local[0]!}${name}`);
    return { page, problems };
  };

  test('an agent learns in a page', async () => {
    const { page, problems } = await open('index.html');
    await page.locator('output').filter({ hasText: 'It begins with' }).waitFor({ timeout: 150_000 });
    expect(problems).toEqual([]);
    const points = (await page.locator('polyline').getAttribute('points'))!.split(' ');
    const rewards = points.map((point) => 1 - Number(point.split(',')[1]) / 60);
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(rewards).toHaveLength(40);
    expect(mean(rewards.slice(0, 5))).toBeLessThan(-0.1);
    expect(mean(rewards.slice(-5))).toBeGreaterThan(0.15); // of 0.8
    await page.close();
  });

  test('the same agent trains in the worker of an app', async () => {
    const { page, problems } = await open('app.html');
    // An iteration may be over before the page is looked at.
    await page
      .locator('output')
      .filter({ hasText: /iteration \d+: return|It begins with/ })
      .waitFor({ timeout: 150_000 });
    expect(problems).toEqual([]);
    expect(await page.locator('polyline').getAttribute('points')).toMatch(/,/);
    await page.close();
  });
});
