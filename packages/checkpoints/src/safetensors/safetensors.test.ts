import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, readSafetensorsFile, readWeights, writeSafetensors, writeWeights } from './safetensors.js';
import { newFolder } from '@bowyer/testing';

let dir: string;
let path: string;
beforeEach(() => {
  dir = newFolder();
  path = join(dir, 'model.safetensors');
});

/** Writes a file put together by hand, so that it can be wrong. */
function writeRaw(header: unknown, data: Uint8Array, headerLength?: number): void {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(headerLength ?? json.length));
  writeFileSync(path, Buffer.concat([length, json, data]));
}
const messageOf = (read: Promise<unknown>) =>
  read.then(
    () => 'no error',
    (error: Error) => error.message,
  );

test('written tensors are read back bit for bit, with their metadata, and no temporary file remains', async () => {
  const tensors = {
    'a.weight': { shape: [2, 3], data: Float32Array.of(1, -0, 1e-45, 3.4e38, NaN, Math.fround(0.1)) },
    scalar: { shape: [], data: Float32Array.of(7) },
    empty: { shape: [0, 4], data: new Float32Array(0) },
  };
  await writeSafetensors(path, tensors, { format: 'pt', step: '12' });
  const read = await readSafetensorsFile(path);
  expect(read.metadata).toEqual({ format: 'pt', step: '12' });
  expect(read.tensors).toEqual(tensors);
  expect(readdirSync(dir)).toEqual(['model.safetensors']);
  expect(readFileSync(path).readBigUInt64LE(0) % 8n).toBe(0n); // data stands aligned
});

test('half precision: 1, −2, the largest and the smallest, infinity', async () => {
  const f16 = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0xfc00); // IEEE 754-2019, binary16
  const bf16 = Uint16Array.of(0x3f80, 0xc000, 0x7f7f, 0x0001, 0xff80);
  writeRaw(
    {
      h: { dtype: 'F16', shape: [5], data_offsets: [0, 10] },
      b: { dtype: 'BF16', shape: [5], data_offsets: [10, 20] },
    },
    Buffer.concat([Buffer.from(f16.buffer), Buffer.from(bf16.buffer)]),
  );
  const { h, b } = await readSafetensors(path);
  expect([...h.data]).toEqual([1, -2, 65504, 2 ** -24, -Infinity]);
  expect([...b.data]).toEqual([1, -2, 255 * 2 ** 120, 2 ** -133, -Infinity]);
});

test('integers are read where float32 holds them, and refused where not', async () => {
  const entry = { n: { dtype: 'I64', shape: [2], data_offsets: [0, 16] } };
  writeRaw(entry, Buffer.from(BigInt64Array.of(3n, -4n).buffer));
  expect([...(await readSafetensors(path)).n.data]).toEqual([3, -4]);
  writeRaw(entry, Buffer.from(BigInt64Array.of(3n, 16777217n).buffer));
  expect(await messageOf(readSafetensors(path))).toBe(
    `Cannot read ${path}, tensor 'n'\n  expected integers that float32 represents exactly\n  found 16777217 at index 1\n  ${damaged}`,
  );
});

const damaged = 'the file is damaged or has the wrong extension: download or save it again';

describe('a wrong file is refused with one message', () => {
  const w = (data_offsets: number[], shape = [2], dtype = 'F32') => ({ dtype, shape, data_offsets });
  const eight = new Uint8Array(8);
  const sixteen = new Uint8Array(16);
  const twenty = new Uint8Array(20);

  test.each([
    [
      'a tensor cut off',
      { w: w([0, 8]) },
      new Uint8Array(5),
      "tensor 'w'",
      'data_offsets 0 to 8 inside the data',
      '5 bytes of data: the file is cut off',
    ],
    [
      'a lying length',
      { w: w([0, 12]) },
      new Uint8Array(12),
      "tensor 'w'",
      '8 bytes for F32 [2]',
      '12 (data_offsets 0 to 12)',
    ],
    [
      'an unknown dtype',
      { w: w([0, 8], [2], 'Q4') },
      eight,
      "tensor 'w'",
      'a dtype of F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL',
      'Q4',
    ],
    [
      'an overlap',
      { v: w([0, 8]), w: w([4, 12]) },
      sixteen,
      "tensor 'w'",
      'data_offsets that begin at 8',
      '4, which overlaps the tensor before it',
    ],
    [
      'a gap',
      { v: w([0, 8]), w: w([9, 17]) },
      twenty,
      "tensor 'w'",
      'data_offsets that begin at 8',
      '9, which leaves a gap before it',
    ],
    ['a negative shape', { w: w([0, 8], [-2]) }, eight, "tensor 'w'", 'a shape of integers', '[-2]'],
    [
      'no offsets',
      { w: { dtype: 'F32', shape: [2] } },
      eight,
      "tensor 'w'",
      'two data_offsets of at least 0',
      'nothing',
    ],
    [
      'bytes left over',
      { w: w([0, 8]) },
      sixteen,
      null,
      'tensors that fill the 16 bytes of data',
      '8 bytes of tensors',
    ],
    [
      'a header that is a list',
      [1],
      eight,
      null,
      "a JSON object as header, in the 3 bytes given by the file's first 8",
      '[1]',
    ],
    [
      'metadata that are none',
      { __metadata__: { a: 1 } },
      eight,
      null,
      '__metadata__ as an object of strings',
      '{"a":1}',
    ],
    [
      'a tensor that lies beyond the end',
      { v: w([0, 8]), w: w([1000, 1008]) },
      sixteen,
      "tensor 'w'",
      'data_offsets 1000 to 1008 inside the data',
      '16 bytes of data: the file is cut off',
    ],
    ['an offset below 0', { w: w([-4, 4]) }, eight, "tensor 'w'", 'two data_offsets of at least 0', '[-4,4]'],
  ])('%s', async (_, header, data, tensor, expected, found) => {
    writeRaw(header, data);
    const fault = await messageOf(readSafetensors(path));
    expect(fault).toContain(`Cannot read ${path}${tensor ? `, ${tensor}` : ''}\n`);
    expect(fault).toMatch(/\n {2}expected .+\n {2}found .+\n {2}.+ (again|bfloat16)$/);
    expect({ expected: /expected (.+)/.exec(fault)![1], found: /found (.+)/.exec(fault)![1] }).toEqual({
      expected,
      found,
    });
  });

  test('an impossible header length, as of a file of another kind', async () => {
    writeFileSync(path, 'PK\x03\x04 this is a zip archive of some other sort');
    expect(await messageOf(readSafetensors(path))).toMatch(
      /expected a header of at most 37 bytes \(the file has 45\)\n {2}found a header length of \d+: the file is cut off or is not a safetensors file\n {2}.+ again$/,
    );
  });

  test('a file of three bytes, and none at all', async () => {
    writeFileSync(path, 'abc');
    expect(await messageOf(readSafetensors(path))).toBe(
      `Cannot read ${path}\n  expected a header length in the first 8 bytes\n  found a file of 3 bytes\n  ${damaged}`,
    );
    rmSync(path);
    expect(await messageOf(readSafetensors(path))).toBe(
      `Cannot read ${path}\n  expected a safetensors file\n  found no file of this name\n  ${damaged}`,
    );
  });
});

test('a shape that contradicts its data is not written', async () => {
  await expect(writeSafetensors(path, { w: { shape: [2, 2], data: new Float32Array(3) } })).rejects.toThrow(
    "writeSafetensors: 'w' has shape [2, 2], which is 4 values, and data of 3",
  );
  expect(readdirSync(dir)).toEqual([]);
});

describe('sharded weights', () => {
  const tensors = Object.fromEntries(
    ['a', 'b', 'c'].map((name, i) => [name, { shape: [3], data: new Float32Array(3).fill(i) }]),
  );

  test('are split by size and come back together', async () => {
    await writeWeights(dir, tensors, { maxShardBytes: 24 });
    expect(readdirSync(dir).sort()).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
    ]);
    expect(await readWeights(dir)).toEqual(tensors);
    expect(Object.keys(await readWeights(dir, { filter: (name) => name === 'c' }))).toEqual(['c']);
  });

  test('one file beside an index is read instead of it, as transformers does, until shards are written again', async () => {
    await writeWeights(dir, tensors, { maxShardBytes: 24 });
    await writeWeights(dir, { a: tensors.b });
    expect(await readWeights(dir)).toEqual({ a: tensors.b });
    await writeWeights(dir, tensors, { maxShardBytes: 24 });
    expect(await readWeights(dir)).toEqual(tensors);
  });

  test('a shard outside the directory is refused', async () => {
    const index = join(dir, 'model.safetensors.index.json');
    writeFileSync(index, JSON.stringify({ weight_map: { a: '../elsewhere.safetensors' } }));
    expect(await messageOf(readWeights(dir))).toBe(
      `Cannot read ${index}\n  expected names of files beside it\n  found ../elsewhere.safetensors\n  ${damaged}`,
    );
  });
});
