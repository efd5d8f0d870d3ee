import { setImmediate as nextTurn } from 'node:timers/promises';
import { text, wordLevelTokenizer } from '@bowyer/text';
import { AnswerConstraints } from './answer-constraints.js';

const words = Array.from({ length: 30_000 }, (_, i) => ` word${i.toString(36)}`);
const tokenizer = wordLevelTokenizer([words.join('')]);

test('the first constraint of a model, for which all its tokens are spelled, leaves the event loop its turns', async () => {
  const constraints = new AnswerConstraints(tokenizer, [], []);
  let [turns, isDone] = [0, false];
  const asked = [' word1', ' word2'].map((word) => constraints.compiled(word, () => text(word), 'response_format'));
  void Promise.all(asked).then(() => (isDone = true));
  for (; !isDone; turns++) await nextTurn();
  // More than 100 ms of work in turns of 4 ms.
  expect(turns).toBeGreaterThanOrEqual(20);
  const [first, second] = await Promise.all(asked);
  expect([first!.leastTokens, second!.leastTokens]).toEqual([1, 1]);
  expect(await constraints.compiled(' word1', () => text('another'), 'response_format')).toBe(first);
});
