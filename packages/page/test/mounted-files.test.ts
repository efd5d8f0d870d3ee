// Blobs as files; Node has blobs as a page has them. Pages are tested in @bowyer/web.
import { mountBlob, writeFiles } from '../src/mounted-files.js';
import { readFileSync } from '../src/node/fs.js';
import { open, readFile, stat } from '../src/node/fs-promises.js';

test('a range of a blob is read by position, and the whole as text', async () => {
  mountBlob('/dropped/file.txt', new Blob(['0123456789']));
  const handle = await open('/dropped/file.txt', 'r');
  const target = new Uint8Array(6);
  expect((await handle.read(target, 1, 4, 3)).bytesRead).toBe(4);
  expect([...target]).toEqual([0, ...new TextEncoder().encode('3456'), 0]);
  expect((await handle.read(target, 0, 6, 8)).bytesRead).toBe(2);
  expect((await stat('/dropped/file.txt')).size).toBe(10);
  expect(await readFile('/dropped/file.txt', 'utf8')).toBe('0123456789');
});

test('a blob is not read at once, and the error says what to do', () => {
  mountBlob('/dropped/other.txt', new Blob(['text']));
  expect(() => readFileSync('/dropped/other.txt', 'utf8')).toThrow(
    `'/dropped/other.txt' is a blob of the page, which is read asynchronously; write its bytes as a file`,
  );
});

test('a text that is written to the path of a blob replaces it', async () => {
  mountBlob('/dropped/third.txt', new Blob(['blob']));
  writeFiles({ '/dropped/third.txt': 'text' });
  expect(await readFile('/dropped/third.txt', 'utf8')).toBe('text');
});
