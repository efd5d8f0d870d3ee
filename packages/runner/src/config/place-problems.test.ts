import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { placeProblems } from './place-problems.js';

const folder = newFolder();
beforeAll(() => {
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('loop-b', join(folder, 'loop-a'));
  symlinkSync('loop-a', join(folder, 'loop-b'));
  symlinkSync(join(folder, 'nothing', 'here'), join(folder, 'dangling'));
});

function messages(name: string, key: string, path: string): string[] {
  const places = { save_path: { savePath: path }, 'warm_start.cache_dir': { warmStart: { cacheDir: path } } }[key];
  const task = { name, ...(key === 'output' && { output: path }) };
  return placeProblems({ task, ...places }).map(({ message, remedy }) => `${message}\n${remedy}`);
}

test.each([
  ['/dev/null', 'it is a file, not a folder'],
  ['/dev/null/run', `'/dev/null' is a file, not a folder`],
  ['FOLDER/file', 'it is a file, not a folder'],
  ['FOLDER/file/run', 'a part of its path is a file, not a folder'],
  ['FOLDER/file/a/run', 'a part of its path is a file, not a folder'],
  ['FOLDER/loop-a', 'its symbolic links lead in a circle'],
  ['FOLDER/loop-a/run', 'its symbolic links lead in a circle'],
  ['FOLDER/dangling', 'it is a symbolic link to nothing'],
  ['FOLDER/dangling/run', `'FOLDER/dangling' is a symbolic link to nothing`],
  ['/proc/run', 'nothing can be made in /proc'],
  ['', 'it is empty'],
])('save_path=%s and warm_start.cache_dir=%s are refused', (path, obstacle) => {
  const [at, reason] = [path, obstacle].map((text) => text.replace('FOLDER', folder));
  for (const key of ['save_path', 'warm_start.cache_dir']) {
    expect(messages('train', key, at)).toEqual([
      expect.stringMatching(/^[\w.]+: '.*' cannot be written: [^\n]+\ngive [\w.]+ another folder$/s) as string,
    ]);
    if (!at.startsWith('/dev/null/')) expect(messages('train', key, at)[0]).toContain(reason);
  }
});

test.each([
  ['generate', '/dev/null', 'it is a device, which the whole file would replace'],
  ['score', 'FOLDER', 'it is a folder, not a file'],
  ['replay', 'FOLDER/file/lines', 'a part of its path is a file, not a folder'],
  ['convert', 'FOLDER/file', 'it is a file, not a folder'],
])('task=%s output=%s is refused', (task, path, obstacle) => {
  expect(messages(task, 'output', path.replace('FOLDER', folder))[0]).toContain(obstacle);
});

test('paths that can be written are not refused', () => {
  for (const [task, key, path] of [
    ['train', 'save_path', folder],
    ['train', 'save_path', join(folder, 'new', 'run')],
    ['train', 'warm_start.cache_dir', '.cache'],
    ['generate', 'output', join(folder, 'file')],
    ['play', 'output', '/dev/null'],
    ['train', 'output', '/dev/null/x'], // not a key of the task
  ])
    expect(messages(task, key, path)).toEqual([]);
});
