import { jest } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPyTorchStateDict } from './state-dict.js';
import { newFolder } from '@bowyer/testing';

// Written by torch.save; packages/models/test/make-reference-checkpoints.py made them.
const fixture = (name: string) => fileURLToPath(new URL(`../../test/fixtures/pickles/${name}`, import.meta.url));

const dir = newFolder();

/** Writes the fixture with some bytes changed, under a new name; its checksums are 0, which says that there are none. */
async function changed(name: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const path = join(dir, `changed-${name}`);
  await writeFile(path, change(withoutChecksums(await readFile(fixture(name)))));
  return path;
}

/** Sets the checksums to 0: in a ZIP directory's entry (`PK\1\2`) the CRC-32 stands at byte 16. */
function withoutChecksums(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1))
    bytes.fill(0, at + 16, at + 20);
  return bytes;
}

const linear = {
  weight: { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) },
  bias: { shape: [2], data: Float32Array.of(5, 6) },
};

test.each([
  ['a state dict, its metadata left out', 'state-dict.pt'],
  ['the form of PyTorch before 1.6', 'old-format.pt'],
])('%s', async (_, file) => {
  expect(await readPyTorchStateDict(fixture(file))).toEqual(linear);
});

test("the original's checkpoint keeps its weights under model_state_dict, among other things", async () => {
  expect(await readPyTorchStateDict(fixture('checkpoint.pt'))).toEqual(linear);
  expect(await readPyTorchStateDict(fixture('checkpoint.pt'), { section: 'model_state_dict' })).toEqual(linear);
  const path = fixture('checkpoint.pt');
  await expect(readPyTorchStateDict(path, { section: 'critic_state_dict' })).rejects.toThrow(
    `Cannot read weights from ${path}\n  it has no tensors under critic_state_dict\n  it has some under model_state_dict: name that section`,
  );
});

test('parameters are tensors', async () => {
  const base = Float32Array.from({ length: 12 }, (_, i) => i);
  expect(await readPyTorchStateDict(fixture('parameters.pt'))).toEqual({ weight: { shape: [3, 4], data: base } });
});

test('every type becomes float32; views of one storage become tensors of their own', async () => {
  // int64 2⁴⁰ does not fit; the others do.
  await expect(readPyTorchStateDict(fixture('tensors.pt'))).rejects.toThrow(
    "tensor 'long': expected integers that float32 represents exactly, found 1099511627776 at index 3",
  );
  const path = await changed('tensors.pt', (bytes) => {
    const large = Buffer.alloc(8);
    large.writeBigInt64LE(2n ** 40n);
    const four = Buffer.alloc(8);
    four.writeBigInt64LE(4n);
    bytes.set(four, bytes.indexOf(large));
    return bytes;
  });
  expect(await readPyTorchStateDict(path)).toEqual({
    plain: { shape: [3, 4], data: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) },
    transposed: { shape: [4, 3], data: Float32Array.of(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11) },
    row: { shape: [4], data: Float32Array.of(4, 5, 6, 7) },
    half: { shape: [3], data: Float32Array.of(1.5, -2, 65504) },
    bfloat: { shape: [3], data: Float32Array.of(1.5, -2, 226 * 2 ** 120) }, // the nearest to 3e38 with 8 bits
    double: { shape: [2], data: Float32Array.of(0.1, 1) },
    long: { shape: [2, 2], data: Float32Array.of(1, -2, 3, 4) },
    flags: { shape: [2], data: Float32Array.of(1, 0) },
    scalar: { shape: [], data: Float32Array.of(7) },
    empty: { shape: [0, 3], data: new Float32Array(0) },
  });
});

test('a pickle that wants to import something is refused, and nothing is run', async () => {
  const path = fixture('imports.pt');
  const print = jest.spyOn(console, 'log');
  await expect(readPyTorchStateDict(path)).rejects.toThrow(
    `Cannot read weights from ${path}\n  its pickle wants to import '__builtin__.print', which weights do not need; nothing was executed\n  only tensors can be read: open it in Python, if you trust it, and save its state_dict() alone, preferably as safetensors`,
  );
  expect(print).not.toHaveBeenCalled();
});

// Decoding takes quadratic time: two million bytes would take hours.
test('an integer of two million bytes is refused before it is decoded', async () => {
  const [path, head] = [join(dir, 'integer.pt'), Buffer.from([0x80, 2, 0x8b, 0, 0, 0, 0])]; // protocol 2, LONG4, its length
  head.writeInt32LE(2_000_000, 3);
  await writeFile(path, Buffer.concat([head, Buffer.alloc(2_000_000, 0x7f), Buffer.from('.')]));
  await expect(readPyTorchStateDict(path)).rejects.toThrow('the pickle has an integer of 2000000 bytes');
});

test('a file that torch.save did not write is named', async () => {
  await expect(readPyTorchStateDict(fixture('bare.pt'))).rejects.toThrow(
    'it is a pickle, but not one written by torch.save',
  );
  await expect(readPyTorchStateDict(join(dir, 'none.pt'))).rejects.toThrow('there is no such file');
  const text = join(dir, 'text.pt');
  await writeFile(text, 'hello');
  await expect(readPyTorchStateDict(text)).rejects.toThrow('neither a ZIP archive nor a pickle');
});

test('a file that is cut off anywhere gives one error, whatever its form', async () => {
  for (const name of ['state-dict.pt', 'old-format.pt']) {
    const { length } = await readFile(fixture(name));
    for (let end = 0; end < length; end += 7) {
      const path = await changed(name, (bytes) => bytes.subarray(0, end));
      await expect(readPyTorchStateDict(path)).rejects.toThrow(`Cannot read weights from ${path}`);
    }
  }
});

test('no byte, whatever it is changed to, makes the reader fail in any other way', async () => {
  const original = await readFile(fixture('old-format.pt'));
  for (let at = 0; at < original.length; at += 3) {
    const path = await changed('old-format.pt', (bytes) => {
      bytes[at] ^= 0xff;
      return bytes;
    });
    const outcome = await readPyTorchStateDict(path).then(
      () => 'read',
      (error: Error) => error.name,
    );
    expect(['read', 'WeightsFileError']).toContain(outcome);
  }
});

test('changed numbers are found by the checksum of their storage', async () => {
  const path = join(dir, 'flipped.pt');
  const bytes = await readFile(fixture('state-dict.pt'));
  bytes[bytes.indexOf(Buffer.from(Float32Array.of(1, 2, 3, 4).buffer)) + 9] ^= 1;
  await writeFile(path, bytes);
  await expect(readPyTorchStateDict(path)).rejects.toThrow(
    /'.+\/data\/0' is damaged: its CRC-32 should be [0-9a-f]{8}, it is [0-9a-f]{8}\n  the file is damaged or/,
  );
});

test('the form of PyTorch before 1.6 without its list of storages is refused', async () => {
  // The last pickle is the list; ']' opens its list and '}' a dict.
  const path = await changed('old-format.pt', (bytes) => {
    const opens = bytes.indexOf(']', bytes.lastIndexOf(Buffer.of(0x80, 2)));
    const ends = bytes.indexOf('.', opens);
    return Buffer.concat([bytes.subarray(0, opens), Buffer.from('}'), bytes.subarray(ends)]);
  });
  await expect(readPyTorchStateDict(path)).rejects.toThrow('its list of storages is not a list of names');
});

test('a tensor larger than its storage is refused', async () => {
  // The sizes (2, 2) of the weight become (2, 255): K is a one-byte number, \x86 makes a pair.
  const path = await changed('state-dict.pt', (bytes) => {
    bytes[bytes.indexOf(Buffer.from('K\x02K\x02\x86', 'latin1')) + 3] = 255;
    return bytes;
  });
  await expect(readPyTorchStateDict(path)).rejects.toThrow(
    "tensor 'weight' [2, 255] needs 510 elements of its storage, which has 4",
  );
});
