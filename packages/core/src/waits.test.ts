import { setTimeout as sleep } from 'node:timers/promises';
import { reportWaits, waitingFor } from './waits.js';

let lines: string[];
let restore: () => void;
beforeEach(() => {
  lines = [];
  restore = reportWaits({ report: (line) => lines.push(line), firstMs: 100 });
});
afterEach(() => restore());

test('work that ends in time is not reported, and its result or error is passed on', async () => {
  expect(
    await waitingFor(
      () => 'the run waits for a',
      () => 1,
    ),
  ).toBe(1);
  await expect(
    waitingFor(
      () => 'the run waits for b',
      () => Promise.reject(new Error('no')),
    ),
  ).rejects.toThrow('no');
  await sleep(200);
  expect(lines).toEqual([]);
});

test('longer work is reported after the first wait, then after twice the time, all waits in one line', async () => {
  let end = () => {};
  const never = new Promise<void>((resolve) => (end = resolve));
  const started = performance.now();
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    waitingFor(
      () => `the run waits for ${name}`,
      () => never,
    ),
  );
  while (lines.length < 3) await sleep(5);
  // The lines come after 100, 200 and 400 ms, or later on a busy machine.
  expect(performance.now() - started).toBeGreaterThanOrEqual(400);
  expect(lines[0]).toMatch(
    /^the run waits for a, for \d+ s; the run waits for b, for \d+ s; the run waits for c, for \d+ s; and 2 more$/,
  );
  end();
  await Promise.all(all);
  const before = lines.length;
  await sleep(300);
  expect(lines).toHaveLength(before);
});
