import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { JsonlFile } from './jsonl-file.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

test('text after the stored length is cut off', async () => {
  const path = join(directory, 'deep', 'metrics.jsonl');
  const file = await JsonlFile.open(path, 0);
  await file.append({ step: 1 }, { step: 2 });
  const remembered = file.bytes;
  await file.append({ word: 'half a lïne' });
  const again = await JsonlFile.open(path, remembered);
  await again.append({ step: 3 });
  expect(await readFile(path, 'utf8')).toBe('{"step":1}\n{"step":2}\n{"step":3}\n');
  expect(again.bytes).toBe(33);
});

test('a file shorter than its checkpoint is reported', async () => {
  const path = join(directory, 'metrics.jsonl');
  await expect(JsonlFile.open(path, 10)).rejects.toThrow(
    `${path} has 0 bytes but the checkpoint was written when it had 10\n` +
      '  something has shortened it since; restore it, or start again in a new directory',
  );
});

test('a line that a kill has cut off at any byte is not continued by the next one', async () => {
  const path = join(directory, 'timings.jsonl');
  const whole = '{"step":1}\n{"word":"lïne"}\n';
  const bytes = Buffer.from(whole);
  for (let length = 0; length <= bytes.length; length++) {
    await writeFile(path, bytes.subarray(0, length));
    const file = await JsonlFile.open(path, null);
    await file.append({ step: 3 });
    const text = await readFile(path, 'utf8');
    const kept = [10, 27].filter((end) => length >= end).length; // the ends of the lines, with or without their line end
    expect(text).toBe(
      `${whole
        .split('\n')
        .slice(0, kept)
        .map((line) => `${line}\n`)
        .join('')}{"step":3}\n`,
    );
    expect(file.bytes).toBe(Buffer.byteLength(text));
  }
});
