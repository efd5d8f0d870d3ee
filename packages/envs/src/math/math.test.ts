import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { episodicReturn } from '@bowyer/core';
import { mathDemonstrations, mathTexts, missingSolutions, writtenSolution } from './demonstrations.js';
import { MathEnv } from './math.js';
import { mathSchema, type MathOptions } from './options.js';
import { defaultsOf } from '../option.js';
import { splitOf } from './problem.js';
import { mathReport } from './report.js';

const defaults = defaultsOf(mathSchema);
const make = (options: Partial<MathOptions> = {}) => new MathEnv({ ...defaults, ...options });

test('one attempt: the final answer of the action alone decides', async () => {
  const env = make({ kinds: ['arithmetic'] });
  const { observation, info } = await env.reset({ seed: 4 });
  expect(observation).toBe(`Problem: ${env.problem.question}\nSolution:\n`);
  expect(info).toMatchObject({ item: env.problem.id, reference: env.problem.answer, answer: null, won: false });
  const right = await env.step(env.problem.solution!);
  expect(right).toMatchObject({ reward: 1, terminated: true, truncated: false, info: { won: true, invalid: false } });
  expect(right.observation).toBe(`${observation}${env.problem.solution}\nCorrect.\n`);

  await env.reset({ seed: 4 });
  const copied = await env.step(env.problem.question); // the copied text contains the numbers of the problem, but no answer to it
  expect(copied).toMatchObject({ reward: 0, terminated: true, info: { won: false } });
});

test('several attempts: the verifier says that an answer is wrong, not what is right', async () => {
  const env = make({ kinds: ['arithmetic'], maxAttempts: 3, instruction: 'Put the answer into a box.' });
  const { observation } = await env.reset({ seed: 4 });
  expect(observation).toMatch(/^Put the answer into a box\.\nProblem: /);
  const first = await env.step('\\boxed{0.5}');
  expect(first).toMatchObject({ reward: 0, terminated: false, info: { answer: '0.5', invalid: false } });
  expect(first.observation).toBe(`${observation}\\boxed{0.5}\nThe answer is wrong. Try again.\nSolution:\n`);
  const second = await env.step('I pass');
  expect(second).toMatchObject({ reward: 0, terminated: false, info: { answer: null, invalid: true } });
  expect(second.observation).toContain('There is no answer. Try again.');
  expect(await env.step(env.problem.solution!)).toMatchObject({ reward: 1, terminated: true, info: { won: true } });
});

test('running out of attempts terminates', async () => {
  const env = make({ maxAttempts: 2 });
  await env.reset({ seed: 1 });
  await env.step('no');
  expect(await env.step('no')).toMatchObject({ reward: 0, terminated: true, truncated: false });
});

test('the same seed gives the same problem; a split gives its own problems alone', async () => {
  const env = make();
  const ask = async (options: Parameters<MathEnv['reset']>[0]) => (await env.reset(options)).info.question as string;
  expect(await ask({ seed: 9 })).toBe(await ask({ seed: 9 }));
  for (const split of ['train', 'eval', 'test'] as const)
    for (let seed = 0; seed < 20; seed++) expect(splitOf(await ask({ seed, split }))).toBe(split);
});

test('demonstrations are right solutions of training problems; with noise a share of wrong ones', async () => {
  const options = { ...defaults, maxAttempts: 2 };
  const right = await mathDemonstrations(options, { episodes: 40, noise: 0, seed: 1 });
  expect(right.map((transitions) => episodicReturn({ transitions }))).toEqual(right.map(() => 1));
  expect(right.every((turns) => turns.length === 1 && !turns[0].action.includes('\n'))).toBe(true);
  const questionOf = (observation: string) => /^Problem: (.*)$/m.exec(observation)![1];
  expect(right.every(([{ observation }]) => splitOf(questionOf(observation)) === 'train')).toBe(true);
  const noisy = await mathDemonstrations(options, { episodes: 100, noise: 0.5, seed: 1 });
  const wins = noisy.filter((turns) => episodicReturn({ transitions: turns }) === 1).length;
  expect(wins).toBeGreaterThan(60); // 3/4 of the problems have a right attempt among two
  expect(wins).toBeLessThan(90);
});

test('the report has the fork’s keys and judges the last attempt', () => {
  const info = { question: 'What is 1 + 1?', reference: '2' };
  const first = { action: '3', info: { ...info, won: false } };
  const report = mathReport({
    model: { path: 'runs/bc', name: null },
    sampling: { temperature: 0.7, maxTokens: 100 },
    episodes: [[first, { action: '\\boxed{2}', info: { ...info, won: true } }], [first]],
  });
  expect(report).toEqual({
    file: 'bc_evaluation_results.json',
    content: {
      model_path: 'runs/bc',
      model_name: null,
      accuracy: 0.5,
      temperature: 0.7,
      max_tokens: 100,
      problems: [
        { problem: 'What is 1 + 1?', reference_answer: '2', generated_solution: '\\boxed{2}', is_correct: true },
        { problem: 'What is 1 + 1?', reference_answer: '2', generated_solution: '3', is_correct: false },
      ],
    },
  });
});

test('a file: its problems by number, its solutions on one line, its words known', async () => {
  const folder = newFolder();
  const problems = join(folder, 'some.jsonl');
  const rows = [
    { question: 'What is two and two?', answer: '4', solution: 'Two and two\nmake four.', split: 'train' },
    { question: 'And three and three?', answer: '6', split: 'test' },
  ];
  writeFileSync(problems, rows.map((row) => JSON.stringify(row)).join('\n'));
  const env = make({ problems });
  await env.reset({ seed: 0, split: 'train', problem: 0 });
  expect(writtenSolution(env.problem)).toBe('Two and two make four. \\boxed{4}');
  expect((await env.reset({ seed: 0, split: 'test' })).info.question).toBe('And three and three?');
  await expect(env.reset({ split: 'test', problem: 1 })).rejects.toThrow(/some\.jsonl has no problem 1: there are 1/);
  expect(mathTexts({ ...defaults, problems })).toContain('And three and three?');
  expect(missingSolutions({ ...defaults, problems })).toBeNull();
  writeFileSync(problems, JSON.stringify({ ...rows[1], split: 'train' }));
  expect(missingSolutions({ ...defaults, problems })).toMatch(
    /^1 training problems of .* have no solution to imitate$/,
  );
});

test('calculations are right answers where the environment takes them', async () => {
  const rewards = await Promise.all(
    [false, true].map(async (calculations) => {
      const env = make({ kinds: ['arithmetic'], calculations });
      const { info } = await env.reset({ seed: 3 });
      const { reward } = await env.step(`\\boxed{${Number(info.reference) - 1} + 1}`);
      await env.close();
      return reward;
    }),
  );
  expect(rewards).toEqual([0, 1]);
});
