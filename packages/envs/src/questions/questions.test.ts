import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { judgeText } from './answers.js';
import { defaultsOf } from '../option.js';
import { questionsSchema, type QuestionsOptions } from './options.js';
import { QuestionsEnv } from './questions.js';
import { readQuestions } from './question-file.js';
import { questionsReport } from './report.js';
import { questionsUnit } from './unit.js';

let folder: string;
beforeEach(() => (folder = newFolder()));

function file(name: string, ...lines: (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const defaults = defaultsOf(questionsSchema);
const make = (options: Partial<QuestionsOptions>) => new QuestionsEnv({ ...defaults, ...options });
const planets = { question: 'Which is a planet?', choices: ['Moon', 'Mars', 'Sun'], answer: 1, subject: 'sky' };
const apples = { question: 'Two apples and three more?', answer: '2 + 3 = <<2+3=5>>5\n#### 5' };

test('the columns of MMLU, ARC, HellaSwag, GSM8K and of lettered CSV give the same questions', () => {
  const lines = file(
    'sets.jsonl',
    planets,
    { id: 'arc', question: 'Which?', choices: { text: ['Moon', 'Mars'], label: ['1', '2'] }, answerKey: '2' },
    { ctx: 'A man sits', endings: ['and eats.', 'and flies.'], label: '0' },
    { ...apples, split: 'validation' },
  );
  const [mmlu, arc, hellaSwag, gsm8k] = readQuestions(lines, 'test');
  expect(mmlu).toMatchObject({ answer: 'Mars', choices: { texts: planets.choices, right: 1 }, subject: 'sky' });
  expect(arc).toMatchObject({ id: 'arc', answer: 'Mars', choices: { right: 1 } });
  expect(hellaSwag).toMatchObject({ question: 'A man sits', answer: 'and eats.', choices: { right: 0 } });
  expect(gsm8k).toMatchObject({ split: 'eval', answer: apples.answer, choices: null, subject: null });
  const csv = file('mmlu.csv', 'question,A,B,C,answer', 'Which is a planet?,Moon,Mars,Sun,B');
  const { id, answer, choices } = mmlu;
  expect(readQuestions(csv, 'test')).toEqual([
    { id, question: planets.question, answer, choices, subject: null, split: 'test' },
  ]);
});

test('all bad rows are named at once, with their lines', () => {
  const path = file(
    'bad.jsonl',
    planets,
    { answer: '1' },
    { question: 'a' },
    { ...planets, answer: 7 },
    { ...planets, choices: ['one'] },
    { ...apples, split: 'other' },
  );
  expect(() => readQuestions(path, 'test')).toThrow(
    [
      `questions: ${path} cannot be used`,
      '  line 2: no question; its columns are answer',
      '  line 3: no answer; its columns are question',
      '  line 4: the answer "7" is not one of the 3 choices: give a label, a letter, a number from 0, or the text',
      '  line 5: choices must be a list of 2 to 26 texts, or {text, label} with such lists',
      '  line 6: split "other" must be train, eval or test',
    ].join('\n'),
  );
  expect(() => readQuestions(file('none.jsonl'), 'test')).toThrow('it contains no task');
});

test('a prompt has the instruction, examples of the same subject, the listed choices, and the answer’s prefix', async () => {
  const data = file('test.jsonl', planets);
  const trainData = file(
    'train.jsonl',
    { ...planets, question: 'Which is a star?', answer: 'Sun' },
    { ...planets, subject: 'other' },
    { ...planets, question: 'Which is a moon?', answer: 'A' },
  );
  const env = make({ data, trainData, shots: 5, instruction: 'Choose.', questionPrefix: '' });
  const { observation, info } = await env.reset({ split: 'test', number: 0 });
  const list = 'A. Moon\nB. Mars\nC. Sun\nAnswer:';
  expect(observation).toBe(
    `Choose.\n\nWhich is a star?\n${list} C\n\nWhich is a moon?\n${list} A\n\nWhich is a planet?\n${list}`,
  );
  expect(info).toMatchObject({ reference: 'B', validActions: ['A', 'B', 'C'], answer: null, won: false });
  const unlisted = make({ data, choicesAs: 'texts' });
  const other = await unlisted.reset({ split: 'test', number: 0 });
  expect(other.observation).toBe('Question: Which is a planet?\nAnswer:');
  expect(other.info.validActions).toEqual(planets.choices);
  expect(await unlisted.step(' Mars')).toMatchObject({ reward: 1, terminated: true });
});

test.each([
  ['B', 'B', 1],
  ['The answer is B.', 'B', 1],
  ['(C) since A is wrong', 'C', 0],
  ['Mars', null, 0],
  ['', null, 0],
])('the letter in %j is %j', async (action, answer, reward) => {
  const env = make({ data: file('test.jsonl', planets) });
  await env.reset({ split: 'test' });
  expect(await env.step(action)).toMatchObject({
    reward,
    info: { answer, won: reward === 1, invalid: answer === null },
  });
});

// The regular expressions are those of lm-evaluation-harness's gsm8k.yaml, and the results are worked out by hand.
test.each([
  ['marked', 'so 2 + 3 = 5\n#### 5', '5', true],
  ['marked', 'The answer is 5', null, false],
  ['last_number', 'first 7, then $1,234.', '$1,234.', false],
  ['last_number', 'The answer is 5.', '5.', true],
  ['last_number', 'none', null, false],
  ['text', ' 5 ', '5', true],
] as const)('%s finds in %j the answer %j', (extract, text, stated, isRight) => {
  expect(judgeText(text, apples.answer, extract)).toEqual({ stated, isRight });
});

test('commas, dollars and a last point do not change an answer', () => {
  expect(judgeText('#### 1,234', 'so\n#### 1234', 'marked').isRight).toBe(true);
  expect(judgeText('It costs $1,234.', '#### 1234', 'last_number').isRight).toBe(true);
  expect(judgeText('paris.', 'Paris', 'text').isRight).toBe(true);
});

test('the report has the accuracy and its standard error, in all and by subject', () => {
  const info = { item: '1', question: 'q', reference: 'B', answer: 'B' };
  const report = questionsReport({
    model: { path: 'runs/a', name: null },
    sampling: { temperature: 0, maxTokens: 5 },
    episodes: [
      [{ action: 'B', info: { ...info, subject: 'sky', won: true } }],
      [{ action: 'A', info: { ...info, subject: 'sky', won: false } }],
      [{ action: 'B', info: { ...info, subject: 'sea', won: true } }],
      [{ action: 'B', info: { ...info, subject: null, won: true } }],
    ],
  });
  expect(report.content).toMatchObject({
    n: 4,
    accuracy: 0.75,
    standard_error: 0.25, // √(¼ · ¾ ÷ 3)
    subjects: { sea: { n: 1, accuracy: 1, standard_error: null }, sky: { n: 2, accuracy: 0.5, standard_error: 0.5 } },
  });
});

test('unusable options are refused with the key to change', () => {
  const problems = (options: Partial<QuestionsOptions>) => questionsUnit.config!.problems!({ ...defaults, ...options });
  expect(problems({ shots: 3 })).toEqual([]);
  const data = file('test.jsonl', planets);
  expect(problems({ data })).toEqual([]);
  expect(problems({ data, shots: 2 })).toMatchObject([{ key: 'env.shots' }]);
  expect(problems({ data, shots: 2, trainData: file('train.jsonl', planets) })).toEqual([]);
});
