import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { folderBelow } from './allowed-folders.js';

test('a folder is read below a root, by its own path or by the part below, and never outside', async () => {
  const folder = newFolder();
  const [root, outside] = [join(folder, 'root'), join(folder, 'root-beside')];
  await mkdir(join(root, 'a', 'b'), { recursive: true });
  await mkdir(outside);
  await symlink(outside, join(root, 'link'));
  await symlink(join(root, 'a'), join(root, 'inner'));
  const below = (path: string) => folderBelow([join(folder, 'none'), root], path);
  expect(await below(join(root, 'a'))).toBe(join(root, 'a'));
  expect(await below('a/b')).toBe(join(root, 'a', 'b'));
  expect(await below('inner')).toBe(join(root, 'a'));
  for (const path of [root, '.', '..', outside, '../root-beside', 'a/../../root-beside', 'link', 'missing', '/etc'])
    expect(await below(path)).toBeNull();
  expect(await folderBelow([], root)).toBeNull();
});
