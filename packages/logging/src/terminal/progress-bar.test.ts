import { duration, ProgressBar } from './progress-bar.js';

function watch() {
  let now = 0;
  let text = '';
  const output = { write: (part: string) => (text += part) };
  const bar = new ProgressBar('train', 10, output, () => now);
  return { bar, at: (seconds: number) => (now = seconds), shown: () => text };
}

test('work that ends within a second shows nothing', () => {
  const { bar, at, shown } = watch();
  at(0.5);
  bar.update(10);
  bar.finish();
  expect(shown()).toBe('');
});

test('the time left follows from the work done by this process', () => {
  const { bar, at, shown } = watch();
  bar.startAt(4);
  at(6);
  bar.update(6, 'return -5.0'); // 2 units in 6 s, 4 units left
  expect(shown()).toBe('train ████████████░░░░░░░░ 6/10  ETA 12s  return -5.0\n');
});

test('a pipe gets a line every ten seconds', () => {
  const pipe = watch();
  for (let second = 1; second <= 12; second++) {
    pipe.at(second);
    pipe.bar.update(1);
  }
  expect(pipe.shown().split('\n').length - 1).toBe(2); // at 1 s and at 11 s
});

test('durations are written in words', () => {
  expect([8, 185, 7800, NaN].map(duration)).toEqual(['8s', '3m 05s', '2h 10m', '…']);
});
