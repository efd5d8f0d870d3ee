import { ownRows } from './own-rows.js';
import { tokenBatches, type TokenExample } from './token-batches.js';

/** The lengths of examples, of which only those with similar lengths form a batch. */
const lengths = [3, 40, 5, 41, 4, 39, 120, 3, 121, 5, 4];
const examples = lengths.map((length, e): TokenExample => ({
  ids: Int32Array.from({ length }, (_, t) => 100 * e + t),
  targets: Int32Array.from({ length }, (_, t) => 100 * e + t + 1),
  weights: Float32Array.from({ length }, (_, t) => (t % 2 === 1 || t === length - 1 ? e + 1 : 0)),
  valueWeights: Float32Array.from({ length }, (_, t) => (t === 0 ? 1 : 0)),
  tokenMasks: Array.from({ length }, (_, t) => (t % 3 === 0 ? null : Uint32Array.of(100 * e + t))),
}));
const batches = tokenBatches(examples, { maxTokens: 200, padTokenId: 0 });

test.each([2, 3, 5])('the rows of %i ranks are all rows, each once, as they stand in the whole batch', (size) => {
  const shares = Array.from({ length: size }, (_, rank) => [...ownRows(batches, { rank, size })]);
  batches.forEach((whole, b) => {
    const parts = shares.map((share) => share[b]);
    expect(parts.flatMap(({ batch }) => batch.examples)).toEqual(whole.examples);
    expect(parts.flatMap(({ batch }) => [...batch.ids])).toEqual([...whole.ids]);
    for (const key of ['targets', 'weights', 'entropyWeights', 'valueWeights'] as const)
      expect(parts.flatMap(({ batch }) => [...batch[key]])).toEqual([...whole[key]]);
    const masks = parts.flatMap(({ batch }) => batch.tokenMasks ?? [...batch.targets].map(() => undefined));
    expect(masks).toEqual(whole.tokenMasks);
    for (const key of ['scoredPositions', 'valuePositions'] as const) {
      const moved = parts.flatMap(({ batch, firstRow }) => [...batch[key]].map((at) => at + firstRow * whole.columns));
      expect(moved).toEqual([...whole[key]]);
    }
  });
});

test('ranks have the same number of tokens with padding, within one row', () => {
  const tokens = [0, 1].map((rank) =>
    [...ownRows(batches, { rank, size: 2 })].reduce((sum, { batch }) => sum + batch.rows * batch.columns, 0),
  );
  expect(Math.abs(tokens[0] - tokens[1])).toBeLessThanOrEqual(121);
});

test('a single rank has all rows, and takes batches as they are made', () => {
  const own = ownRows(
    (function* () {
      yield* batches.slice(0, 1);
      throw new Error('the second batch is not wanted yet');
    })(),
    { rank: 0, size: 1 },
  );
  expect(own.next().value).toEqual({ batch: batches[0], firstRow: 0 });
});

test('the sequences of a tree are divided among ranks, and each rank has the tokens of its own', () => {
  const prompt = Array.from({ length: 60 }, (_, t) => t);
  const branches = Array.from({ length: 7 }, (_, e): TokenExample => {
    const ids = Int32Array.of(...prompt, 100 + e, 200 + e);
    return { ids, targets: ids, weights: Float32Array.from(ids, (_id, t) => Number(t > 50)) };
  });
  const trees = tokenBatches(branches, { maxTokens: 1000, padTokenId: 0, sharesPrefixes: true });
  const shares = [0, 1].map((rank) => [...ownRows(trees, { rank, size: 2 })][0].batch);
  expect(shares.flatMap(({ scoredPlaces }) => scoredPlaces)).toEqual(trees[0].scoredPlaces);
  expect(shares.map(({ rows, ids }) => ids.length - 2 * rows)).toEqual([60, 60]);
});
