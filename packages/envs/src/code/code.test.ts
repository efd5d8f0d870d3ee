import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { defaultsOf } from '../option.js';
import { CodeEnv } from './code-env.js';
import { codeSchema, type CodeOptions } from './options.js';
import { programIn } from './program.js';
import { codeTasks } from './task-file.js';
import { separated } from './tests.js';
import { codeUnit } from './unit.js';

const folder = newFolder();

function file(name: string, ...lines: (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const options = (given: Partial<CodeOptions>) => ({ ...defaultsOf(codeSchema), ...given });
const block = (code: string, language = 'js') => `So:\n\`\`\`${language}\n${code}\n\`\`\`\nDone.`;

/** A task in MultiPL-E's columns. */
const multiple = {
  name: 'HumanEval_0_twice',
  language: 'ts',
  prompt: '//Twice the number\nfunction twice(n: number): number {\n',
  tests:
    "declare var require: any;\nconst assert = require('node:assert');\n\nfunction test() {\n  let candidate = twice;\n  assert.deepEqual(candidate(2),4);\n  assert.deepEqual(candidate(0),0);\n}\n\ntest();",
  stop_tokens: ['\nfunction ', '\n/*', '\n//', '\nconsole.log'],
};

/** A task in HumanEval-X's columns. */
const humanEvalX = {
  task_id: 'JavaScript/0',
  prompt: '/* Twice the numbers */\nconst twice = (numbers) => {\n',
  declaration: '\nconst twice = (numbers) => {\n',
  canonical_solution: '  return numbers.map((n) => 2 * n);\n}\n\n',
  test: 'const testTwice = () => {\n  console.assert(\n    JSON.stringify(twice([1])) === JSON.stringify([2])\n  )\n}\n\ntestTwice()\n',
  example_test: '',
};

/** A task in HumanEval's columns. */
const humanEval = {
  task_id: 'half',
  prompt: 'function half(n) {\n',
  entry_point: 'half',
  canonical_solution: '  return n / 2;\n}\n',
  test: "const assert = require('assert');\nfunction check(candidate) {\n  assert.strictEqual(candidate(4), 2);\n}\n",
};

/** A task in MBPP's columns. */
const mbpp = {
  task_id: 11,
  text: 'Write a function that removes the first character.',
  code: 'function removeFirst(text) {\n  return text.slice(1);\n}',
  test_setup_code: 'const word = "yew";',
  test_list: ['assert.equal(removeFirst(word), "ew")', 'assert.equal(removeFirst(""), "")'],
};

test('tasks are read in the columns of MultiPL-E, HumanEval-X, HumanEval and MBPP', () => {
  const [first, second, third, fourth] = codeTasks({
    data: file('forms.jsonl', multiple, humanEvalX, humanEval, mbpp),
  });
  expect(first).toMatchObject({ id: 'HumanEval_0_twice', language: 'typescript', entryPoint: 'twice', solution: null });
  expect(second).toMatchObject({ id: 'JavaScript/0', language: 'javascript', entryPoint: 'twice' });
  expect(second.solution).toBe(`${humanEvalX.prompt}${humanEvalX.canonical_solution}`);
  expect(third.tests[0]).toMatch(/\ncheck\(half\);$/);
  expect(fourth).toMatchObject({ head: null, entryPoint: null, solution: mbpp.code });
  expect(fourth.prompt).toBe(`${mbpp.text}\n\nTests:\n${mbpp.test_list.join('\n')}`);
  expect(fourth.tests[1]).toBe('const word = "yew";\nassert.equal(removeFirst(""), "")');
});

test('lines that cannot be used are named all at once; Python is refused by its name', () => {
  const path = file(
    'bad.jsonl',
    {
      task_id: 'HumanEval/0',
      prompt: 'def f(a):\n',
      entry_point: 'f',
      test: 'def check(candidate):\n    assert candidate(1) == 1',
    },
    { text: 'Write a function.', code: 'def f(a):\n  return a', test_list: ['assert f(1) == 1'] },
    { ...humanEval, language: 'go' },
    { ...humanEval, test: undefined },
    { ...humanEval, test: 'half(4);' },
    { ...humanEval, test: 'assert.partialDeepStrictEqual(half(4), 2)' },
    { ...humanEval, test: 'const fs = require("node:fs"); assert(half(4) === 2)' },
    { ...humanEval, entry_point: 'a b' },
    { ...humanEval, stop_tokens: 'a' },
    { ...humanEval, test: 'assert(half(4) === "2\n")' },
    { ...humanEval, tests: 'assert(half(2) === 1)' },
    { ...humanEval, task_id: 'HumanEval/1', tests: humanEval.test },
  );
  expect(() => codeTasks({ data: path })).toThrow(
    [
      `code: ${path} cannot be used`,
      '  line 1: the task is in Python, which does not run here: JavaScript and TypeScript do',
      '  line 2: the task is in Python, which does not run here: JavaScript and TypeScript do',
      '  line 3: language "go" does not run here: js and ts do',
      '  line 4: no tests: they stand in tests, test or test_list',
      '  line 5: a test has no assert, so that every program would pass',
      '  line 6: assert.partialDeepStrictEqual is not in the sandbox, which has ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, match, doesNotMatch, fail, throws, doesNotThrow, rejects, doesNotReject, strict',
      "  line 7: the module 'node:fs' is not in the sandbox, which has assert alone",
      '  line 8: entry_point "a b" is no name of JavaScript',
      '  line 9: stop_tokens must be a list of texts',
      '  line 10: a test is not JavaScript: Invalid or unexpected token',
      '  line 11: tests and test are both given, and differ: keep one',
    ].join('\n'),
  );
});

test('a reply has its program in the last block, or continues the prompt up to a stop token', () => {
  const [task] = codeTasks({ data: file('form.jsonl', multiple) });
  const program = (text: string) => programIn(text, task, { reply: 'program' });
  expect(program(`<think>${block('no')}</think>${block('old')}${block('export function twice() {}')}`)).toBe(
    'function twice() {}',
  );
  expect(program('const twice = 1;\nexport default twice;\n')).toBe('const twice = 1;');
  expect(programIn('  return 2 * n;\n}\nfunction other() {', task, { reply: 'completion' })).toBe(
    `${multiple.prompt}  return 2 * n;\n}`,
  );
});

test('assertions on separate lines are separate tests', () => {
  expect(separated(multiple.tests).map((test) => test.split('\n').length)).toEqual([9, 9]);
  expect(separated(humanEvalX.test)).toHaveLength(1);
});

test('every solution of the set that ships passes, and no empty program does', async () => {
  const env = new CodeEnv(options({}));
  const tasks = codeTasks({ data: null });
  const rewards = await inTurn(tasks, async (_, task) => {
    await env.reset({ task });
    return (await env.step(env.expertReply()!)).reward;
  });
  expect(rewards).toEqual(tasks.map(() => 1));
  await env.reset({ task: 0 });
  expect(await env.step('')).toMatchObject({
    reward: 0,
    terminated: true,
    observation: 'The program declares no sum.',
  });
  await env.close();
});

async function inTurn<T, R>(values: readonly T[], play: (value: T, i: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [i, value] of values.entries()) results.push(await play(value, i));
  return results;
}

test('tasks in other formats are played; after a failure the agent reads the reason', async () => {
  const data = file('forms.jsonl', multiple, humanEvalX, humanEval, mbpp);
  const env = new CodeEnv(options({ data, maxTurns: 3, showTests: true, reward: 'share' }));
  await env.reset({ task: 0 });
  const said = async (code: string, language = 'js') => (await env.step(block(code, language))).observation;
  expect(await said('function twice(n: number {\n  return 4;\n}', 'ts')).toBe(
    'The program cannot be compiled: SyntaxError: Expected ")" but found "{", line 1.',
  );
  expect(await said('function twice(n: number) {\n  return n.x.y;\n}', 'ts')).toMatch(
    /^Test 1 of 2 failed with an error: TypeError: cannot read property 'y' of undefined, line 2\.$/,
  );
  expect(await env.step(block('function twice(n: number) {\n  return 4;\n}', 'ts'))).toMatchObject({
    observation: 'Test 2 of 2 failed: 4 is not equal to 0.',
    reward: 0.5,
    terminated: true,
    info: { tests: 2, passed: 1, failure: 'assertion', won: false },
  });
  for (const task of [1, 2, 3]) {
    await env.reset({ task });
    expect(await env.step(env.expertReply()!)).toMatchObject({ reward: 1, observation: '', info: { won: true } });
  }
  await env.reset({ task: 1 });
  expect(await said('const twice = (numbers) => numbers;')).toBe('The tests failed: false is not true.');
  await env.close();
});

test('a test that cannot be compiled is an error of the task, not a reward', async () => {
  const env = new CodeEnv(
    options({ data: file('broken.jsonl', { ...humanEval, language: 'ts', test: 'assert.equal(half(2, 1;' }) }),
  );
  await env.reset();
  await expect(env.step(env.expertReply()!)).rejects.toThrow(
    /^code: a test of the task half cannot be compiled: SyntaxError/,
  );
  await env.close();
});

test('solutions are demonstrations, as programs or as completions', async () => {
  const { demonstrations, config } = codeUnit;
  const data = file('completion.jsonl', humanEval);
  const completion = options({ data, reply: 'completion', instruction: '' });
  const set = await demonstrations!.make(completion, { count: 2, seed: 1 });
  expect(set.summary).toBe('2 episodes, 2 turns, mean return 1.00');
  expect(config!.problems!(completion)).toEqual([]);
  expect(config!.problems!(options({ data: file('text.jsonl', mbpp), reply: 'completion' }))).toMatchObject([
    { key: 'env.reply' },
  ]);
  expect(demonstrations!.problem!(options({ data: file('none.jsonl', multiple) }))).toMatch(/no training task/);
});
