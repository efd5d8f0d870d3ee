import { ReplayBuffer } from './replay-buffer.js';
import { Rng } from './rng.js';

test('after wrap-around the newest items have replaced the oldest', () => {
  const buffer = new ReplayBuffer<number>(3);
  [1, 2, 3, 4, 5].forEach((item) => buffer.insert(item));
  expect(buffer.items).toEqual([4, 5, 3]);
  expect(buffer.size).toBe(3);
});

test('sampling is with replacement and reaches every slot evenly', () => {
  const buffer = new ReplayBuffer<number>(3);
  [1, 2, 3, 4, 5].forEach((item) => buffer.insert(item));
  const drawn = buffer.sample(3000, new Rng(0));
  for (const item of [3, 4, 5]) {
    const share = drawn.filter((d) => d === item).length / drawn.length;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.37);
  }
});

test('sampling from an empty buffer throws', () => {
  expect(() => new ReplayBuffer(2).sample(1, new Rng(0))).toThrow(
    'ReplayBuffer: nothing to sample, the buffer is empty',
  );
});
