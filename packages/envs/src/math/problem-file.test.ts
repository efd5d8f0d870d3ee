import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { readProblems } from './problem-file.js';
import { splitOf } from './problem.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const all = (path: string) => Object.values(readProblems(path)).flat();

test('CSV: quotes, commas and line feeds in cells, CRLF, a byte order mark, unknown columns', () => {
  const path = file(
    'problems.csv',
    '\uFEFFquestion,answer,solution,level\r\n"What is ""1,5"" times 2,\nas a number?",3,"1.5 * 2 = 3; \\boxed{3}",5\r\n\r\nWhat is 1/2?,0.5,,1\r\n',
  );
  const problems = all(path);
  expect(problems).toHaveLength(2);
  expect(problems).toContainEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    question: 'What is "1,5" times 2,\nas a number?',
    kind: null,
    answer: '3',
    solution: '1.5 * 2 = 3; \\boxed{3}',
  });
  expect(problems).toContainEqual(expect.objectContaining({ question: 'What is 1/2?', answer: '0.5', solution: null }));
});

test('JSON lines: names of other data sets, numbers, split and id of the file', () => {
  const path = file(
    'problems.jsonl',
    [
      { problem: 'a', solution: 'so \\boxed{\\frac{1}{2}}', split: 'validation', id: 'x1' },
      { question: 'b', answer: '1 + 1 = 2\n#### 2', split: 'test' },
      { question: 'c', answer: 7, split: 'train' },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  const { train, eval: evaluation, test } = readProblems(path);
  expect(evaluation).toEqual([
    { id: 'x1', question: 'a', kind: null, answer: 'so \\boxed{\\frac{1}{2}}', solution: 'so \\boxed{\\frac{1}{2}}' },
  ]);
  expect(test).toMatchObject([{ question: 'b', solution: '1 + 1 = 2\n#### 2' }]);
  expect(train).toMatchObject([{ question: 'c', answer: '7', solution: null }]);
});

test('without a split column the question’s words decide, however they are spaced', () => {
  const questions = Array.from({ length: 50 }, (_, i) => `What is ${i} + 1?`);
  const path = file(
    'problems.jsonl',
    questions.map((question) => JSON.stringify({ question, answer: '1' })).join('\n'),
  );
  const problems = readProblems(path);
  for (const [split, found] of Object.entries(problems))
    expect(found.map(({ question }) => splitOf(` ${question.replace(' ', '  ')}`))).toEqual(found.map(() => split));
  expect(problems.train.length).toBeGreaterThan(25);
});

test.each([
  [
    'latin1.csv',
    Buffer.from('question,answer\ncaf\xe9,1\n', 'latin1'),
    'latin1.csv: is not UTF-8; save it as UTF-8, or convert it: iconv -f LATIN1 -t UTF-8',
  ],
  ['a.csv', 'question,answer\n"open,1\n', /a\.csv(?::\d)?: is not CSV: Quote Not Closed/],
  ['b.csv', 'question,answer\na,1,2\n', /b\.csv:2: is not CSV: Invalid Record Length/],
  ['b.csv', 'question,answer,answer\na,1,2\n', "b.csv:1: has the column 'answer' twice, of which one would be lost"],
  ['c.csv', 'frage,antwort\na,1\n', 'c.csv:2: no question; columns: frage, antwort'],
  ['d.csv', 'question,answer\na,\n', 'd.csv:2: no answer that could be verified: "" contains no answer'],
  ['e.csv', 'question,answer\n', 'e.csv: contains no problem'],
  ['f.jsonl', '{"question": "a", "answer": "1"}\n{"question"', /f\.jsonl:2: is not JSON/],
  [
    'f.jsonl',
    '{"question": "a", "answer": "1", "answer": "2"}',
    /f\.jsonl:1: has an object with the key "answer" twice/,
  ],
  ['g.jsonl', '[1]', 'g.jsonl:1: is not a JSON object'],
  ['h.jsonl', '{"question": "a", "answer": {"x": 1}}', "h.jsonl:1: 'answer' must be a text or a number"],
  ['i.jsonl', '{"question": "a", "answer": 1, "split": "half"}', "i.jsonl:1: split 'half' must be train, eval or test"],
  [
    'j.jsonl',
    '{"question": "a", "answer": 1, "split": "train"}\n{"question": " a", "answer": 1, "split": "test"}',
    'j.jsonl:2: the question is also in line 1, for train',
  ],
  ['k.txt', '', 'k.txt: is neither .csv nor .jsonl'],
])('%s is refused by name and line', (name, content, message) => {
  const path = file(name, content);
  const expected = typeof message === 'string' ? `problems: ${path.replace(name, '')}${message}` : message;
  expect(() => readProblems(path)).toThrow(expected);
});

test('a file that is not there is named', () => {
  expect(() => readProblems(join(folder, 'none.csv'))).toThrow(/none\.csv: cannot be read: ENOENT/);
});
