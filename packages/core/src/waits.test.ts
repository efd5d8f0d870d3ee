import { setTimeout as sleep } from 'node:timers/promises';
import { reportWaits, waitingFor } from './waits.js';

let lines: string[];
let restore: () => void;
beforeEach(() => {
  lines = [];
  restore = reportWaits({ report: (line) => lines.push(line), firstMs: 100 });
});
afterEach(() => restore());

test('what answers in time is not reported, and its answer comes through, failed or not', async () => {
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

test('what does not is named after the first wait, then after twice the time, all that wait in one line', async () => {
  let end = () => {};
  const never = new Promise<void>((resolve) => (end = resolve));
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    waitingFor(
      () => `the run waits for ${name}`,
      () => never,
    ),
  );
  await sleep(700);
  expect(lines[0]).toBe(
    'the run waits for a, for 0 s; the run waits for b, for 0 s; the run waits for c, for 0 s; and 2 more',
  );
  // After 100, 200 and 400 ms; a loaded machine may leave one out.
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines.length).toBeLessThanOrEqual(3);
  end();
  await Promise.all(all);
  const before = lines.length;
  await sleep(300);
  expect(lines).toHaveLength(before);
});
