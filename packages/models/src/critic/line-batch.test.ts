import { wordLevelTokenizer } from '@bowyer/text';
import { bucket, LineBatcher, splitLines } from './line-batch.js';

const history = 'Questions:\nis it big? Yes.\nis it a dog? No.\n';
const tokenizer = wordLevelTokenizer([history], { wholeTokens: [' Yes.\n', ' No.\n'] });
const batchOf = (observations: string[], actions: string[] | null) =>
  new LineBatcher(tokenizer).batches(observations, actions)[0].batch;
const row = (matrix: Float32Array, index: number, width: number) => [
  ...matrix.subarray(index * width, (index + 1) * width),
];

test('lines keep their newline; a last line may lack it', () => {
  expect(splitLines('a\n\nb')).toEqual(['a\n', '\n', 'b']);
  expect(splitLines('')).toEqual([]);
});

test('buckets: few sizes, at most an eighth of padding beyond 8', () => {
  expect([0, 1, 8, 9, 15, 17, 25, 31, 200, 209].map(bucket)).toEqual([8, 8, 8, 9, 15, 18, 26, 32, 208, 224]);
});

test('a line is its question’s words, each with weight 1/√4, and its answer', () => {
  const { sizes, words, lineWords, lineAnswers } = batchOf([history], null);
  const spelled = (i: number) => tokenizer.decode([words[i]]);
  const weightOf = (line: number) =>
    Object.fromEntries(
      row(lineWords, line, sizes.words).flatMap((weight, i) => (weight ? [[spelled(i), weight]] : [])),
    );
  expect(weightOf(1)).toEqual({ is: 0.5, ' it': 0.5, ' big': 0.5, '?': 0.5 });
  expect(spelled(lineAnswers[1])).toBe(' Yes.\n');
  expect(spelled(lineAnswers[2])).toBe(' No.\n');
  expect(row(lineWords, 3, sizes.words).every((weight) => weight === 0)).toBe(true); // padding
});

test('each different line and action stands once, and counts say how often', () => {
  const twice = `${history}is it big? Yes.\n`;
  const batch = batchOf([history, twice], ['is it big?', 'is it big?']);
  expect(batch.sizes).toEqual({ observations: 8, lines: 8, actions: 8, words: 11 });
  expect(row(batch.lineCounts, 0, 8)).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
  expect(row(batch.lineCounts, 1, 8)).toEqual([1, 2, 1, 0, 0, 0, 0, 0]);
  expect([...batch.turns.subarray(0, 3)]).toEqual([3, 4, 0]);
  expect([...batch.actions.subarray(0, 2)]).toEqual([0, 0]);
  expect(row(batch.actionWords, 0, 11).filter((weight) => weight > 0)).toEqual([0.5, 0.5, 0.5, 0.5]);
});

test('an empty action and an empty observation are rows of zeros', () => {
  const batch = batchOf([''], ['']);
  expect(batch.turns[0]).toBe(0);
  expect([...batch.lineCounts, ...batch.actionWords].every((x) => x === 0)).toBe(true);
});

test('batches are bounded however many lines no other turn has, and have every observation once, in order', () => {
  const asked = Array.from({ length: 12_000 }, (_, i) => `${i}\n`);
  for (const decays of [[], [0, 0.5]]) {
    const batches = new LineBatcher(tokenizer).batches(asked, null, decays);
    expect(batches.flatMap(({ items }) => items)).toEqual([...asked.keys()]);
    for (const { items, batch } of batches) {
      const matrices = [batch.lineCounts, ...batch.decayedCounts, batch.lineWords, batch.actionWords];
      expect(matrices.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(2 ** 24);
      expect([...batch.turns.subarray(0, items.length)].every((turns) => turns === 1)).toBe(true);
    }
  }
  expect(new LineBatcher(tokenizer).batches(asked.slice(0, 2000), null)).toHaveLength(1);
});
