import { Turns } from './turns.js';

test('pieces of one owner start at once, those of another when these have ended, and each in the order given', () => {
  const turns = new Turns<string>();
  const started: string[] = [];
  const begin = (owner: string, piece: number) => turns.begin(owner, () => started.push(`${owner}${piece}`));
  begin('a', 1);
  begin('a', 2);
  begin('b', 1);
  begin('a', 3);
  begin('b', 2);
  expect(started).toEqual(['a1', 'a2']);
  turns.end('a');
  expect(started).toEqual(['a1', 'a2']);
  turns.end('a');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  turns.end('b');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  turns.end('a');
  expect(started.at(-1)).toBe('b2');
});

test('an owner that leaves gives up its turn, and what it waits for never starts', () => {
  const turns = new Turns<string>();
  const started: string[] = [];
  for (const piece of ['a1', 'b1', 'a2', 'c1']) turns.begin(piece[0], () => started.push(piece));
  turns.leave('a');
  expect(started).toEqual(['a1', 'b1']);
  turns.leave('b');
  expect(started).toEqual(['a1', 'b1', 'c1']);
  turns.end('c');
  turns.begin('a', () => started.push('a3'));
  expect(started.at(-1)).toBe('a3');
});
