import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { refuseUsedFolder, writeNewFolder } from './new-folder.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

const file = (into: string, text: string) => writeFile(join(into, 'a.txt'), text);

test('a folder has its name only once it is complete', async () => {
  const output = join(folder, 'out');
  const seen = await writeNewFolder(`${output}/`, async (partial) => {
    await file(partial, 'whole');
    return readdirSync(folder);
  });
  expect(seen).toEqual(['out.partial']);
  expect(readdirSync(folder)).toEqual(['out']);
  expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('whole');
});

test('an error leaves nothing behind, and the folder before it', async () => {
  const output = join(folder, 'out');
  const failing = () =>
    writeNewFolder(output, async (partial) => {
      await file(partial, 'half');
      throw new Error('the disk is full');
    });
  await expect(failing()).rejects.toThrow('the disk is full');
  expect(readdirSync(folder)).toEqual([]);
  await writeNewFolder(output, (partial) => file(partial, 'whole'));
  await expect(failing()).rejects.toThrow('the disk is full');
  expect(readdirSync(folder)).toEqual(['out']);
  expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('whole');
});

test('a place that cannot be a folder is named', async () => {
  await file(folder, 'mine');
  const output = join(folder, 'a.txt', 'out');
  const message = `cannot write ${output}: a part of its path is a file, not a folder`;
  await expect(writeNewFolder(output, () => Promise.resolve())).rejects.toThrow(message);
});

test('a folder with files is refused by name; an empty or missing one is not', async () => {
  await refuseUsedFolder('export', folder);
  await refuseUsedFolder('export', join(folder, 'none'));
  await file(folder, 'mine');
  const message = `export: the folder '${folder}' is not empty\n  give a new one, or remove it`;
  await expect(refuseUsedFolder('export', folder)).rejects.toThrow(message);
});
