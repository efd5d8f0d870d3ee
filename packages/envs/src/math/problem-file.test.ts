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
    split: expect.any(String) as string,
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
  expect(evaluation).toMatchObject([
    { id: 'x1', question: 'a', answer: 'so \\boxed{\\frac{1}{2}}', solution: 'so \\boxed{\\frac{1}{2}}' },
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

test('all bad rows are named at once, with their lines', () => {
  const path = file(
    'bad.jsonl',
    [
      '{"question": "a", "answer": "1", "answer": "2"}',
      '[1]',
      '{"question": "a", "answer": {"x": 1}}',
      '{"question": "a", "answer": 1, "split": "half"}',
      '{"frage": "a"}',
      '{"question": "a", "answer": ""}',
      '{"question": "b", "answer": 1, "split": "train"}\n{"question": " b", "answer": 1, "split": "test"}',
      '{"question"',
    ].join('\n'),
  );
  expect(() => readProblems(path)).toThrow(
    [
      `problems: ${path} cannot be used`,
      '  line 1: has an object with the key "answer" twice, of which one would be lost; remove one',
      '  line 2: is not a JSON object',
      '  line 3: answer must be a text or a number',
      '  line 4: split "half" must be train, eval or test',
      '  line 5: no question; its columns are frage',
      '  line 6: no answer that could be verified: "" contains no answer',
      '  line 8: the question is also in line 7, for train',
      '  line 9: is not JSON: ',
    ].join('\n'),
  );
});

test.each([
  [
    'latin1.csv',
    Buffer.from('question,answer\ncaf\xe9,1\n', 'latin1'),
    'is not UTF-8; save it as UTF-8, or convert it',
  ],
  ['a.csv', 'question,answer\n"open,1\n', 'is not CSV: Quote Not Closed'],
  ['b.csv', 'question,answer\na,1,2\n', 'line 2: is not CSV: Invalid Record Length'],
  ['b.csv', 'question,answer,answer\na,1,2\n', "line 1: has the column 'answer' twice, of which one would be lost"],
  ['e.csv', 'question,answer\n', 'it contains no task'],
  ['k.txt', '', 'is neither .csv nor .jsonl'],
])('%s is refused', (name, content, message) => {
  expect(() => readProblems(file(name, content))).toThrow(message);
});

test('a file that is not there is named', () => {
  expect(() => readProblems(join(folder, 'none.csv'))).toThrow(/none\.csv cannot be used\n {2}cannot be read: ENOENT/);
});
