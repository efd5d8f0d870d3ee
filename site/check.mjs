// Looks at the built site in headless Chromium: each page of the program and the first page of each section of the documentation, wide and
// narrow, light and dark, by axe-core; no page asks another host; then, with the server ended, all pages are opened again.
//   npm run site && node site/check.mjs [FOLDER for screenshots]
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { serveFolder } from '@bowyer/testing';
import { readPages } from './pages.mjs';

const dist = join(import.meta.dirname, 'dist');
const screenshots = process.argv[2];
const addressOf = (path) => `docs/${path.replace(/\.md$/, '.html')}`;
const documentation = readPages()
  .filter(({ pages }) => pages.length > 0)
  .map(({ pages }) => addressOf(pages[0].path));
const paths = ['index.html', 'play.html', 'model.html', ...documentation];

const base = process.env.SITE_BASE ?? '/'; // as it was built
const served = await serveFolder(dist, { aliases: base === '/' ? {} : { [base]: '/' } });
const { server } = served;
const address = new URL(base, served.address).href;
const browser = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'site-')), {
  executablePath: ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
const findings = [];
const page = browser.pages()[0] ?? (await browser.newPage());
let path = '';
page.on('request', (request) => {
  const { origin, protocol } = new URL(request.url());
  if (protocol.startsWith('http') && `${origin}/` !== served.address) findings.push(`${path} asks ${request.url()}`);
});
page.on('pageerror', ({ message }) => findings.push(`${path}: ${message}`));
try {
  for (path of paths)
    for (const colorScheme of ['light', 'dark'])
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(address + path, { waitUntil: 'load' });
        await page.evaluate(axe.source);
        const found = await page.evaluate(async () => {
          const { violations } = await globalThis.axe.run();
          const wide = document.documentElement.scrollWidth - innerWidth;
          const lines = violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html}`));
          return wide > 0 ? [...lines, `the page is ${wide} px too wide`] : lines;
        });
        for (const line of found) findings.push(`${path}, ${width} px, ${colorScheme}: ${line.slice(0, 300)}`);
        const name = `${path.replaceAll('/', '-').replace('.html', '')}-${width}-${colorScheme}.png`;
        if (screenshots) await page.screenshot({ path: join(screenshots, name) });
      }
  console.log(`${paths.length} pages were looked at`);

  const [, list] = /const FILES = (\[.*?\]);/.exec(readFileSync(join(dist, 'service-worker.js'), 'utf8'));
  const files = JSON.parse(list);
  await page.goto(address);
  await page.waitForFunction(
    async (files) => {
      const keys = await caches.keys();
      if (keys.length === 0) return false;
      const known = await (await caches.open(keys[0])).keys();
      return known.length >= files.length;
    },
    files,
    { timeout: 600_000, polling: 1_000 },
  );
  server.close();
  server.closeAllConnections();
  const pages = files.filter((file) => file.endsWith('.html'));
  for (path of pages) {
    const response = await page.goto(address + path, { waitUntil: 'domcontentloaded' }).catch((error) => error);
    if (!(response.status?.() === 200))
      findings.push(`${path} is not there without a network: ${response.message ?? ''}`);
  }
  console.log(`${pages.length} pages were opened without a network`);
  path = 'model.html';
  await page.goto(address + path);
  await page.click('#make');
  await page.locator('#chat').waitFor({ state: 'visible', timeout: 600_000 });
  console.log('a model was made and served without a network');
} finally {
  await browser.close();
  server.close();
}
for (const finding of findings) console.log(finding);
if (findings.length > 0) process.exitCode = 1;
