import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { newFolder } from '@bowyer/testing';
import { readJsonl } from './jsonl-reader.js';
import { PartedJsonl, readLineAt, readPartedJsonl, readParts, type LinePlace } from './parted-jsonl.js';

let folder: string;
beforeEach(() => (folder = newFolder()));
const path = () => join(folder, 'rollout.jsonl');
const line = (n: number) => ({ n, text: 'ä'.repeat(20) });

async function allOf(file: string) {
  const found: { n: number; place: LinePlace }[] = [];
  await readPartedJsonl<{ n: number }>(file, ({ n }, place) => found.push({ n, place }));
  return found;
}

test('a long file is compressed part by part; every line is found in order and read alone', async () => {
  const file = await PartedJsonl.open(path(), 0, 100);
  for (let n = 0; n < 7; n++) await file.append(line(n));
  expect((await readdir(folder)).sort()).toEqual(
    ['0001', '0002', '0003']
      .flatMap((part) => [`rollout.${part}.index.json`, `rollout.${part}.jsonl.gz`])
      .concat('rollout.jsonl'),
  );
  const found = await allOf(path());
  expect(found.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const { n, place } of found) expect(JSON.parse(await readLineAt(place))).toEqual(line(n));
  expect((await readParts(path())).toString()).toBe(
    [0, 1, 2, 3, 4, 5, 6].map((n) => `${JSON.stringify(line(n))}\n`).join(''),
  );
  expect(gunzipSync(await readFile(join(folder, 'rollout.0001.jsonl.gz'))).toString()).toContain('"n":1');
});

test('whatever the length that a checkpoint stored, a resumed file becomes what it would have been', async () => {
  const whole = await PartedJsonl.open(path(), 0, 100);
  const lengths = [0];
  for (let n = 0; n < 7; n++) {
    await whole.append(line(n));
    lengths.push(whole.bytes);
  }
  const names = (await readdir(folder)).sort();
  const bytes = await Promise.all(names.map((name) => readFile(join(folder, name), 'base64')));
  for (const [kept, length] of [...lengths.entries()].reverse()) {
    const resumed = await PartedJsonl.open(path(), length, 100);
    expect((await allOf(path())).map(({ n }) => n)).toEqual([...Array(kept).keys()]);
    for (let n = kept; n < 7; n++) await resumed.append(line(n));
    expect((await readdir(folder)).sort()).toEqual(names);
    expect(await Promise.all(names.map((name) => readFile(join(folder, name), 'base64')))).toEqual(bytes);
  }
});

test('a part that was not compressed yet when the process ended', async () => {
  const text = [0, 1].map((n) => `${JSON.stringify(line(n))}\n`).join('');
  await writeFile(join(folder, 'rollout.0001.jsonl'), text);
  expect((await allOf(path())).map(({ n }) => n)).toEqual([0, 1]);
  const file = await PartedJsonl.open(path(), Buffer.byteLength(text), 100);
  await file.append(line(2));
  expect((await allOf(path())).map(({ n }) => n)).toEqual([0, 1, 2]);
  expect(await readdir(folder)).toContain('rollout.0001.jsonl.gz');
});

test.each([
  ['{"n":0}\n{"n":1}\n{"n"', [0, 1], 3],
  ['{"n":0}\n{"n":1}', [0], 2],
  ['{"n":0}\n{"n":1}\n\0\0\0\n', [0, 1], 3],
  ['{"n":0}\n', [0], null],
  ['', [], null],
])('%j: a torn last line is dropped and said', async (text, expected, tornLine) => {
  await writeFile(path(), text);
  const found: number[] = [];
  const { torn } = await readJsonl<{ n: number }>(path(), ({ n }) => found.push(n));
  expect(found).toEqual(expected);
  expect(torn).toBe(tornLine && `${path()}: the last line (${tornLine}) was cut off and is left out`);
});

test('damage before the last line is refused with its place', async () => {
  await writeFile(path(), '{"n":0}\n{"n"\n{"n":2}\n');
  await expect(readJsonl(path(), () => {})).rejects.toThrow(`${path()}:2 is damaged`);
});
