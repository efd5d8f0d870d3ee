import { OwnerQueue } from './owner-queue.js';

test('requests of one owner start at once, those of another after these have ended, each in its order', () => {
  const queue = new OwnerQueue<string>();
  const started: string[] = [];
  const begin = (owner: string, piece: number) => queue.begin(owner, () => started.push(`${owner}${piece}`));
  begin('a', 1);
  begin('a', 2);
  begin('b', 1);
  begin('a', 3);
  begin('b', 2);
  expect(started).toEqual(['a1', 'a2']);
  queue.end('a');
  expect(started).toEqual(['a1', 'a2']);
  queue.end('a');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  queue.end('b');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  queue.end('a');
  expect(started.at(-1)).toBe('b2');
});

test('an owner that leaves gives up the resource, and its waiting requests never start', () => {
  const queue = new OwnerQueue<string>();
  const started: string[] = [];
  for (const piece of ['a1', 'b1', 'a2', 'c1']) queue.begin(piece[0], () => started.push(piece));
  queue.leave('a');
  expect(started).toEqual(['a1', 'b1']);
  queue.leave('b');
  expect(started).toEqual(['a1', 'b1', 'c1']);
  queue.end('c');
  queue.begin('a', () => started.push('a3'));
  expect(started.at(-1)).toBe('a3');
});
