import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonValue, text, wordLevelTokenizer } from '@bowyer/text';
import { AnswerConstraints } from './answer-constraints.js';

const words = Array.from({ length: 30_000 }, (_, i) => ` word${i.toString(36)}`);
const tokenizer = wordLevelTokenizer([words.join('')]);

test('the first constraint of a model, for which all its tokens are spelled, leaves the event loop its turns', async () => {
  const constraints = new AnswerConstraints(tokenizer, [], []);
  let [turns, isDone] = [0, false];
  const asked = [' word1', ' word2'].map((word) => constraints.compiled(word, () => text(word), 'response_format'));
  void Promise.all(asked).then(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  // Compiling takes more than 100 ms and runs in slices of 4 ms, so that the event loop gets at least 20 turns.
  expect(turns).toBeGreaterThanOrEqual(20);
  const [first, second] = await Promise.all(asked);
  expect([first!.leastTokens, second!.leastTokens]).toEqual([1, 1]);
  expect(await constraints.compiled(' word1', () => text('another'), 'response_format')).toBe(first);
});

const letters = wordLevelTokenizer([[...'abcdefghijklmnopqrstuvwxyz0123456789"{}[]:, '].join('\n')]);

test('many different schemas of megabytes do not stay in memory', async () => {
  const constraints = new AnswerConstraints(letters, [], []);
  const ask = (schema: object) =>
    constraints.compiled(JSON.stringify(schema), () => jsonValue(schema), 'response_format');
  await ask({ enum: ['a'] });
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 8; i++) await expect(ask({ enum: ['x'.repeat(2_000_000) + i] })).rejects.toThrow('steps of work');
  // The compiler accepts each of these schemas, but all of them together are larger than the cache.
  for (let i = 0; i < 12; i++) await ask({ enum: Array.from({ length: 10_000 }, (_, n) => `k${i}n${n}`) });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * 2 ** 20);
});

test('a schema without a possible text is an error of the schema, not of the vocabulary', async () => {
  const constraints = new AnswerConstraints(letters, [], []);
  const schema = { type: 'array', minItems: 1, items: { type: 'string', pattern: '^a$', enum: ['b'] } };
  const asked = constraints.compiled('key', () => jsonValue(schema), 'response_format');
  await expect(asked).rejects.toThrow(/^(?!.*vocabulary).*('response_format': no text is valid|contradicts itself)/);
});
