import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { readJsonLines } from './json-lines.js';

const dir = newFolder();

async function lines(text: string) {
  const path = join(dir, 'lines.jsonl');
  await writeFile(path, text);
  return readJsonLines<{ a: number }>(path, { type: 'object', properties: { a: { type: 'integer' } } });
}

test('a byte order mark, Windows line ends, blank lines and a last line without a line break are read', async () => {
  expect(await lines('\uFEFF{"a":1}\r\n\r\n  \r\n{"a":2}\r\n{"a":2}')).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 4, value: { a: 2 } },
    { line: 5, value: { a: 2 } },
  ]);
  expect(await lines('')).toEqual([]);
});

test.each([
  ['{"a":1}\n{"a":', 'lines.jsonl:2: is not JSON: '],
  ['{"a":1}\n{"b":{"c":1,"c":1}}', 'lines.jsonl:2: has an object with the key "c" twice, of which one would be lost'],
  ['[1]\n', 'lines.jsonl:1: the line must be object'],
  ['null\n', 'lines.jsonl:1: the line must be object'],
  ['\n{"a":1.5}\n', "lines.jsonl:2: 'a' must be integer"],
])('%j', async (text, message) => {
  await expect(lines(text)).rejects.toThrow(message);
});
