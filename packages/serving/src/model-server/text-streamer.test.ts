import { SpokenText } from './text-streamer.js';

/** Tokens are bytes. */
const bytes = (ids: readonly number[]) => Buffer.from(ids).toString('utf8');
const ids = (text: string) => [...Buffer.from(text)];

test('the beginning of a stop string waits until it is none', () => {
  const spoken = new SpokenText(bytes, ['\n\n', 'END']);
  expect(spoken.add(ids('one\n'))).toBe('one');
  expect(spoken.add(ids('two E'))).toBe('\ntwo ');
  expect(spoken.add(ids('N'))).toBe('');
  expect(spoken.add(ids('Ds here'))).toBe('');
  expect(spoken.stopped).toBe(true);
  expect(spoken.text).toBe('one\ntwo ');
  expect(spoken.add(ids('later'))).toBe('');
  expect(spoken.finish()).toBe('');
});

test('what was held back is told at the end', () => {
  const spoken = new SpokenText(bytes, ['\n\n']);
  expect(spoken.add(ids('a\n'))).toBe('a');
  expect(spoken.finish()).toBe('\n');
  expect(spoken.text).toBe('a\n');
});

test('half a character waits for its other half', () => {
  const spoken = new SpokenText(bytes, []);
  const [a, b, c] = ids('é!');
  expect(spoken.add([a])).toBe('');
  expect(spoken.add([b, c])).toBe('é!');
});

test('of two stop strings the one that comes first ends the text', () => {
  const spoken = new SpokenText(bytes, ['world', 'o']);
  expect(spoken.add(ids('hello world'))).toBe('hell');
  expect(spoken.text).toBe('hell');
});
