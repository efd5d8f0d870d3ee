import { tokenBatches, tokenBatchesInSteps, type TokenExample } from './token-batches.js';

const example = (length: number, weights: number[]): TokenExample => ({
  ids: Int32Array.from({ length }, (_, i) => 100 * length + i),
  targets: Int32Array.from({ length }, (_, i) => 100 * length + i + 1),
  weights: Float32Array.from(weights),
});

test('examples of similar length share a batch, the longest first, within the token budget', () => {
  const examples = [1, 4, 2, 4, 3].map((length) => example(length, new Array<number>(length).fill(1)));
  const batches = tokenBatches(examples, { maxTokens: 8, padTokenId: 0 });
  // The batches have 2 rows · 4 = 8 tokens, then 2 · 3 = 6 (a third row would make 9), and then only the last example.
  expect(batches.map((batch) => [batch.examples, batch.columns])).toEqual([
    [[1, 3], 4],
    [[2, 4], 3],
    [[0], 1],
  ]);
});

test('rows are padded on the right and scored positions index the flattened rectangle', () => {
  const [batch] = tokenBatches([example(3, [0, 0.5, 2]), example(2, [1, 0.25])], { maxTokens: 100, padTokenId: 7 });
  expect(batch.examples).toEqual([1, 0]); // shorter first
  expect([...batch.ids]).toEqual([200, 201, 7, 300, 301, 302]);
  expect([...batch.scoredPositions]).toEqual([0, 1, 4, 5]);
  expect([...batch.targets]).toEqual([201, 202, 302, 303]);
  expect([...batch.weights]).toEqual([1, 0.25, 0.5, 2]);
});

test('tokens after the last scored one are cut off, and examples without weight are left out', () => {
  const batches = tokenBatches([example(5, [0, 1, 0, 0, 0]), example(4, [0, 0, 0, 0])], {
    maxTokens: 100,
    padTokenId: 0,
  });
  expect(batches.map((batch) => [batch.examples, batch.columns])).toEqual([[[0], 2]]);
});

test('an example longer than the budget gets a batch of its own', () => {
  const batches = tokenBatches([example(3, [1, 1, 1]), example(3, [1, 1, 1])], { maxTokens: 2, padTokenId: 0 });
  expect(batches.map((batch) => batch.examples)).toEqual([[1], [0]]);
});

test('equal examples share their tokens, and each has its own weights', () => {
  const equal = Array.from({ length: 100 }, (_, e) => example(3, [0, e + 1, 0]));
  const [batch] = tokenBatches(equal, { maxTokens: 1000, padTokenId: 0, sharesPrefixes: true });
  expect([...batch.ids]).toEqual([300, 301]);
  expect([...batch.scoredPositions]).toEqual(equal.map(() => 1));
  expect([...batch.weights]).toEqual(equal.map((_, e) => e + 1));
});

test('examples with a common beginning are cut into batches within the budget, the others by length', () => {
  const prompt = Array.from({ length: 40 }, (_, t) => t);
  const answers = Array.from({ length: 9 }, (_, e) => {
    const ids = Int32Array.of(...prompt, ...Array.from({ length: 10 }, (_token, t) => 100 * (e + 1) + t));
    return { ids, targets: ids, weights: Float32Array.from(ids, (_id, t) => Number(t >= 40)) };
  });
  const batches = tokenBatches([example(50, Array<number>(50).fill(1)), ...answers], {
    maxTokens: 100,
    padTokenId: 0,
    sharesPrefixes: true,
  });
  // The tree has 100 tokens: 40 that all examples share, and 10 more for each of the 6 examples.
  expect(batches.map(({ rows, ids, tree }) => [rows, ids.length, tree !== undefined])).toEqual([
    [6, 100, true],
    [3, 70, true],
    [1, 50, false],
  ]);
});

test('arrays of different length are refused with all three lengths', () => {
  const bad = { ids: new Int32Array(3), targets: new Int32Array(3), weights: new Float32Array(2) };
  expect(() => tokenBatches([bad], { maxTokens: 8, padTokenId: 0 })).toThrow(
    'tokenBatches: example 0 has 3 ids, 3 targets and 2 weights; all three must be [tokens]',
  );
});

test('a batch is made when it is asked for', () => {
  const examples = [example(3, [1, 1, 1]), example(2, [1, 1])];
  const steps = tokenBatchesInSteps(examples, { maxTokens: 3, padTokenId: 0 });
  expect([...steps.next().value!.targets]).toEqual([301, 302, 303]);
  for (const { targets } of examples) targets.fill(9);
  expect([...steps.next().value!.targets]).toEqual([9, 9]);
  expect(steps.next().done).toBe(true);
});
