// Tests which texts are packed together, and that attention and the features find every token of packed texts.
import { Rng } from '@bowyer/core';
import { encoderConfigFromJson } from './encoder-config.js';
import { cheapestCuts, packTexts, TEXT_CLASSES } from './pack-texts.js';

const config = encoderConfigFromJson({
  model_type: 'roberta',
  vocab_size: 100,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  intermediate_size: 8,
  max_position_embeddings: 40,
  pad_token_id: 1,
});

test('the cuts are the cheapest of all', () => {
  const rng = new Rng(0);
  for (let trial = 0; trial < 20; trial++) {
    const lengths = Array.from({ length: rng.integer(3, 9) }, () => rng.integer(1, 30)).sort((a, b) => a - b);
    const n = lengths.length;
    const cost = (...ends: number[]) =>
      ends.reduce((sum, end, c) => sum + (end - (ends[c - 1] ?? 0)) * lengths[end - 1] ** 2, 0);
    const all = lengths.flatMap((_, a) => lengths.flatMap((_, b) => (0 < a && a < b ? [cost(a, b, n)] : [])));
    expect(cost(...cheapestCuts(lengths, 3), n)).toBe(Math.min(...all));
  }
});

test.each([
  [1, 1],
  [2, 1],
  [7, 1],
  [7, 8],
])(
  'each token of %i texts is at the place that its row leads back to, with sizes that are multiples of %i',
  (count, step) => {
    const rng = new Rng(count);
    const texts = Array.from({ length: count }, () =>
      Array.from({ length: rng.integer(1, 30) }, () => rng.integer(2, 99)),
    );
    const { inputs, rows } = packTexts(texts, config, (size) => Math.ceil(size / step) * step);
    const found: number[][] = [];
    for (let c = 0; c < TEXT_CLASSES; c++) {
      const part = (name: string) => inputs[`${name}_${c}`];
      const [size, length] = part('places').dims;
      for (let text = 0; text < size; text++) {
        const own = [...part('mask').data.keys()].filter(
          (place) => Math.floor(place / length) === text && part('mask').data[place],
        );
        const row = own.map((place) => part('places').data[place]);
        expect(row.map((r) => part('back').data[r])).toEqual(own);
        expect(row.map((r) => part('positions').data[r])).toEqual(row.map((_, i) => i + 2)); // RoBERTa's first position is 2
        found.push(row.map((r) => part('ids').data[r]));
      }
      const isToken = new Set(
        [...part('places').data.keys()]
          .filter((place) => part('mask').data[place])
          .map((place) => part('places').data[place]),
      );
      for (const [row, place] of part('back').data.entries())
        expect(part('mask').data[place]).toBe(Number(isToken.has(row)));
    }
    expect([...rows].map((row) => found[row])).toEqual(texts);
  },
);
