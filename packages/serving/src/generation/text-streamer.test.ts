import { TextStreamer } from './text-streamer.js';

/** Tokens are bytes. */
const bytes = (ids: readonly number[]) => Buffer.from(ids).toString('utf8');
const ids = (text: string) => [...Buffer.from(text)];

test('the beginning of a stop string waits until it is none', () => {
  const streamer = new TextStreamer(bytes, ['\n\n', 'END']);
  expect(streamer.add(ids('one\n'))).toBe('one');
  expect(streamer.add(ids('two E'))).toBe('\ntwo ');
  expect(streamer.add(ids('N'))).toBe('');
  expect(streamer.add(ids('Ds here'))).toBe('');
  expect(streamer.stopped).toBe(true);
  expect(streamer.text).toBe('one\ntwo ');
  expect(streamer.add(ids('later'))).toBe('');
  expect(streamer.finish()).toBe('');
});

test('what was held back is written at the end', () => {
  const streamer = new TextStreamer(bytes, ['\n\n']);
  expect(streamer.add(ids('a\n'))).toBe('a');
  expect(streamer.finish()).toBe('\n');
  expect(streamer.text).toBe('a\n');
});

test('half a character waits for its other half', () => {
  const streamer = new TextStreamer(bytes, []);
  const [a, b, c] = ids('é!');
  expect(streamer.add([a])).toBe('');
  expect(streamer.add([b, c])).toBe('é!');
});

test('of two stop strings the one that comes first ends the text', () => {
  const streamer = new TextStreamer(bytes, ['world', 'o']);
  expect(streamer.add(ids('hello world'))).toBe('hell');
  expect(streamer.text).toBe('hell');
});
