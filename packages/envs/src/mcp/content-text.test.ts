import { resultText } from './content-text.js';

const text = (...texts: string[]) => texts.map((each) => ({ type: 'text' as const, text: each }));

test.each<[string, Parameters<typeof resultText>[0], string]>([
  ['texts alone', { content: text('a', 'b') }, 'a\nb'],
  ['structured content alone', { content: [], structuredContent: { a: [1, 'x'] } }, '{"a":[1,"x"]}'],
  ['neither', { content: [] }, '(no content)'],
  [
    'a text beside what it does not say',
    { content: text('Two rows.'), structuredContent: { rows: [1, 2] } },
    'Two rows.\n{"rows":[1,2]}',
  ],
  [
    'its JSON as a text too',
    { content: text('{"b": 2.0,\n "a": 1}'), structuredContent: { a: 1, b: 2 } },
    '{"b": 2.0,\n "a": 1}',
  ],
  ['a value that the server wraps', { content: text('7'), structuredContent: { result: 7 } }, '7'],
  ['a text that it wraps', { content: text('seven'), structuredContent: { result: 'seven' } }, 'seven'],
  ['a list, a text for each item', { content: text('1', 'two'), structuredContent: { result: [1, 'two'] } }, '1\ntwo'],
  ['another value in the wrapper', { content: text('7'), structuredContent: { result: 8 } }, '7\n{"result":8}'],
  [
    'an image beside it',
    { content: [{ type: 'image', mimeType: 'image/png', data: '' }], structuredContent: { x: 1 } },
    '(image image/png, 0 bytes)\n{"x":1}',
  ],
  [
    'integers that lost digits on their way',
    { content: [], structuredContent: { id: 7318204915520000013 } },
    '{"id":7318204915520000000}\n(integers above 9007199254740991 may have lost their last digits)',
  ],
  [
    'long numbers within texts, and decimals',
    { content: [], structuredContent: { id: '7318204915520000013', x: 0.1234567890123456 } },
    '{"id":"7318204915520000013","x":0.1234567890123456}',
  ],
])('%s', (_, result, expected) => {
  expect(resultText(result)).toBe(expected);
});
