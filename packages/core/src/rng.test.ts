import { hash32, Rng } from './rng.js';

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number) =>
    Array.from(
      { length: 5 },
      (
        (rng) => () =>
          rng.uint32()
      )(new Rng(seed)),
    );
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test('a restored state continues with the same numbers', () => {
  const rng = new Rng(3);
  rng.uniform();
  const copy = new Rng(rng.state);
  expect(copy.uniform()).toBe(rng.uniform());
});

test('uniform numbers have mean 1/2 and variance 1/12, normal ones 0 and 1', () => {
  const rng = new Rng(11);
  const moments = (draw: () => number) => {
    const xs = Array.from({ length: 20_000 }, draw);
    const mean = xs.reduce((a, b) => a + b) / xs.length;
    return [mean, xs.reduce((a, x) => a + (x - mean) ** 2, 0) / xs.length];
  };
  const [mean, variance] = moments(() => rng.uniform());
  expect(mean).toBeCloseTo(0.5, 1);
  expect(variance).toBeCloseTo(1 / 12, 2);
  const [normalMean, normalVariance] = moments(() => rng.normal());
  expect(normalMean).toBeCloseTo(0, 1);
  expect(normalVariance).toBeCloseTo(1, 1);
});

test('integer reaches both ends and shuffle keeps every item', () => {
  const rng = new Rng(1);
  const seen = new Set(Array.from({ length: 200 }, () => rng.integer(1, 3)));
  expect([...seen].sort()).toEqual([1, 2, 3]);
  expect(rng.shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
});

test('streams for different purposes differ', () => {
  expect(Rng.forPurpose(0, 'rollout').uint32()).not.toBe(Rng.forPurpose(0, 'evaluation').uint32());
  expect(hash32('')).toBe(0x811c9dc5);
});
