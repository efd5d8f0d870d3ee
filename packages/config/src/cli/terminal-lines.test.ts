import { writeLines } from './terminal-lines.js';

const text = [
  'the best checkpoint so far is that of iteration 12',
  '  a/path/without/spaces/that/is/wider/than/the/terminal is named',
  'short',
].join('\n');

function written(sink: { isTTY?: boolean; columns?: number }): string[] {
  const texts: string[] = [];
  writeLines({ ...sink, write: (part) => texts.push(part) }, text);
  return texts.join('').split('\n');
}

test('on a terminal lines are broken between words', () => {
  expect(written({ isTTY: true, columns: 40 })).toEqual([
    'the best checkpoint so far is that of',
    '  iteration 12',
    '  a/path/without/spaces/that/is/wider/than/the/terminal',
    '    is named',
    'short',
    '',
  ]);
  expect(written({ isTTY: true, columns: 80 })).toEqual([...text.split('\n'), '']);
});

test('in a pipe or a file lines stay as they are', () => {
  expect(written({ columns: 40 })).toEqual([...text.split('\n'), '']);
});
