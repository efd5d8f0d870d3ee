// Times training and sampling in headless Chromium (ONNX Runtime's WebAssembly), alternating with Node on the same number of
// threads: steps/s, tokens/s, CPU time of all threads, and Node's time ÷ the page's. Then the seconds to the first step with an
// empty cache, and the bytes that are loaded.
//   node --conditions=source --import tsx benchmarks/browser.ts [0.1M, 10.8M] [threads, 1,2] [repetitions]
// The front doors must be built (npm run build).
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { bundlePage, openBrowser, servePage } from '../packages/web/test/page-server.js';
import { openWork, type Size, type Work } from './browser-work.js';
import { median } from './measure.js';
import { cpuSeconds } from './peer.js';

const sizes = (process.argv[2] ?? '0.1M,10.8M').split(',') as Size[];
const threadCounts = (process.argv[3] ?? '1,2').split(',').map(Number);
const repetitions = Number(process.argv[4] ?? 7);
const KINDS = ['products', 'train', 'sample'] as const;
const UNITS = { products: 'GFLOP/s', train: 'steps/s', sample: 'tokens/s' };
const { text, chunks } = await bundlePage(`export * from '../../../benchmarks/browser-work.js'`);
const { server, address } = await servePage(true, { '/page/work.js': text, ...chunks });

/** Returns the CPU time in seconds of this process's descendants, which are the browser's. */
function browserSeconds(): number {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
      } catch {
        return []; // it has ended
      }
    });
  const family = new Set([process.pid]);
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const { pid, parent } of rows) if (family.has(parent)) family.add(pid);
  }
  family.delete(process.pid);
  return rows.filter(({ pid }) => family.has(pid)).reduce((sum, { ticks }) => sum + ticks / 100, 0);
}

interface Measured {
  amount: number;
  wall: number;
  cpu: number;
}

async function measured(run: () => Promise<number>, seconds: () => number): Promise<Measured> {
  const [start, before] = [performance.now(), seconds()];
  const amount = await run();
  return { amount, wall: (performance.now() - start) / 1_000, cpu: seconds() - before };
}

const browser = await openBrowser();
try {
  console.log(`| model | threads | work | Chromium | Node | Node's time ÷ Chromium's | the same of CPU time | load |`);
  console.log('|---|---:|---|---:|---:|---:|---:|---:|');
  for (const size of sizes)
    for (const threads of threadCounts) {
      const page = await browser.newPage();
      await page.goto(address);
      const open = async ([size, threads]: readonly [Size, number]): Promise<void> => {
        const module = '/page/work.js';
        const { openWork } = (await import(module)) as { openWork(size: Size, threads: number): Promise<Work> };
        (globalThis as typeof globalThis & { work?: Work }).work = await openWork(size, threads);
      };
      await page.evaluate(open, [size, threads] as const);
      const inPage = (kind: (typeof KINDS)[number]) =>
        page.evaluate((kind) => (globalThis as typeof globalThis & { work?: Work }).work![kind](), kind);
      const work = await openWork(size, threads);
      for (const kind of KINDS) {
        const pairs: { page: Measured; node: Measured; load: number }[] = [];
        for (let i = 0; i <= repetitions; i++)
          pairs.push({
            page: await measured(() => inPage(kind), browserSeconds),
            node: await measured(() => work[kind](), cpuSeconds),
            load: loadavg()[0],
          });
        pairs.shift(); // the first pair is a warm-up
        const rate = (of: 'page' | 'node') => median(pairs.map((pair) => pair[of].amount / pair[of].wall));
        const ratio = (key: 'wall' | 'cpu') => median(pairs.map(({ page, node }) => node[key] / page[key]));
        const rates = [rate('page'), rate('node')].map((value) => `${value.toPrecision(3)} ${UNITS[kind]}`);
        const ratios = [ratio('wall'), ratio('cpu')].map((value) => value.toFixed(2));
        const load = median(pairs.map((pair) => pair.load)).toFixed(1);
        console.log(`| ${size} | ${threads} | ${kind} | ${rates.join(' | ')} | ${ratios.join(' | ')} | ${load} |`);
      }
      await work.close();
      await page.close();
    }
} finally {
  await browser.close();
}

const cold = await openBrowser();
try {
  const page = await cold.newPage();
  const before = browserSeconds();
  const start = performance.now();
  await page.goto(address);
  await page.evaluate(async () => {
    const module = '/page/work.js';
    const { openWork } = (await import(module)) as { openWork(size: Size, threads: number): Promise<Work> };
    await (await openWork('0.1M', 1)).train();
  });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const cpu = (browserSeconds() - before).toFixed(1);
  const loaded = await page.evaluate(() =>
    performance.getEntriesByType('resource').map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
  );
  const mib = (loaded.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20).toFixed(1);
  console.log(`first ten steps of 0.1M with an empty cache: ${seconds} s (${cpu} s of CPU time), ${mib} MiB loaded`);
} finally {
  await cold.close();
  server.close();
}
