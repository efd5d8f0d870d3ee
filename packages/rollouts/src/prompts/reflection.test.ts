import { reflectedText, reflectionMessage } from './reflection.js';

test('the reflector reads the text, the other texts, and what happened with its score', () => {
  const tried = [{ task: '{"id":"t1"}', score: 0.25, feedback: 'assistant: 12' }];
  const message = reflectionMessage('system', { system: 'Be brief.', 'tool add': 'Adds.' }, tried);
  for (const part of ['Be brief.', 'tool add:', 'Adds.', '{"id":"t1"}', 'assistant: 12', 'Score: 0.25'])
    expect(message).toContain(part);
});

test('a long dialogue is cut in its middle, which is said', () => {
  const feedback = `begin ${'x'.repeat(20_000)} end`;
  const message = reflectionMessage('system', { system: '' }, [{ task: '1', score: 0, feedback }]);
  expect(message.length).toBeLessThan(8_000);
  expect(message).toContain('begin');
  expect(message).toContain(' end');
  expect(message).toContain('14010 characters are left out');
});

test.each([
  ['So:\n```\nNew text.\n```\nDone.', 'New text.'],
  ['```text\nUse\n```js\nf()\n```\nlike that.\n```', 'Use\n```js\nf()\n```\nlike that.'],
])('the new text stands between the first fence and the last one', (answer, text) => {
  expect(reflectedText(answer)).toBe(text);
});

test.each(['No fence at all.', '```\n\n```'])('an answer without a text: %j', (answer) => {
  expect(reflectedText(answer)).toBeNull();
});
