// Tests behaviour cloning of a given model with the real command.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { tinyGame, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

test('a given policy learns the demonstrations; the same command again does nothing and leaves the folder unchanged', async () => {
  const at = (...path: string[]) => join(directory, ...path);
  const ends = async (name: string, start: 'made' | 'given', ...overrides: string[]) => {
    await succeeds(runHere([...tinyGame('bc_20q', start), `save_path=${at(name)}`, ...overrides]));
  };
  /** Returns the names of the policies of the final test. */
  const tested = async (name: string) => {
    const results = JSON.parse(await readFile(at(name, 'results.json'), 'utf8')) as { policies: { name: string }[] };
    return results.policies.map((policy) => policy.name);
  };
  await ends('start', 'made');
  expect(await tested('start')).toEqual(['last']);
  const weights = (folder: string) => readFile(join(folder, 'model.safetensors'));
  const given = at('start', 'checkpoints', 'best');
  const before = await weights(given);

  await ends('further', 'given', `policy_lm=${given}`);
  expect(await tested('further')).toEqual(['start', 'last']);
  const trained = at('further', 'checkpoints', 'best');
  expect((await weights(given)).equals(before)).toBe(true);
  expect((await weights(trained)).equals(before)).toBe(false);
  const losses = async (folder: string): Promise<number[]> =>
    (await readFile(join(folder, 'metrics.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { 'losses/nll': number })['losses/nll']);
  expect((await losses(at('further'))).at(-1)).toBeLessThan((await losses(at('start'))).at(-1)!);

  const evaluations = ['logger=csv', 'eval_freq=0.25', 'validation_share=0.25'];
  await ends('measured', 'given', `policy_lm=${given}`, ...evaluations);
  const table = (await readFile(at('measured', 'metrics.csv'), 'utf8')).trim().split('\n');
  const [names, ...rows] = table.map((line) => line.split(','));
  const column = (name: string) => rows.map((row) => row[names.indexOf(name)]);
  expect(column('iteration')).toEqual(column('optim/steps'));
  expect(column('iteration')).toEqual(rows.map((_, i) => String(i))); // each step has an evaluation
  expect(rows.length).toBeGreaterThan(3);

  await rm(at('further', 'results.json'));
  const after = await weights(trained);
  await ends('further', 'given', `policy_lm=${given}`);
  expect((await weights(trained)).equals(after)).toBe(true);
});

test('pairs of a chosen and a rejected answer: offline_dpo prefers the chosen ones, filteredbc imitates them; bc and finetune refuse them', async () => {
  const at = (...path: string[]) => join(directory, ...path);
  const rooms = ['hall', 'attic', 'cellar', 'garden'];
  const asked = (room: string) => ({ role: 'user', content: `You are in the ${room}.` });
  const lines = (each: (room: string, next: string) => object) =>
    rooms.map((room, i) => JSON.stringify(each(room, rooms[(i + 1) % 4]))).join('\n');
  await writeFile(
    at('pairs.jsonl'),
    lines((room) => ({ prompt: asked(room).content, chosen: 'cellar', rejected: 'attic' })),
  );
  const answered = (room: string, next: string) => ({
    messages: [asked(room), { role: 'assistant', content: `${next} ${room}` }],
  });
  await writeFile(at('rooms.jsonl'), lines(answered));
  const on = (file: string, name: string, start: 'made' | 'given', ...more: string[]) => [
    ...tinyGame('bc_20q', start).filter((word) => !word.startsWith('demonstrations.count=')),
    `demonstrations.path=${at(file)}`,
    `save_path=${at(name)}`,
    'chat_template=chatml',
    'eos_str=null',
    ...more,
  ];
  expect(await runHere(on('rooms.jsonl', 'start', 'made'))).toMatchObject({ code: 0 });
  const start = at('start', 'checkpoints', 'best');
  const preferring = ['algorithm=offline_dpo', 'epochs=20', 'batch_size=2', 'lm_lr=0.01', `policy_lm=${start}`];
  await succeeds(runHere(on('pairs.jsonl', 'preferred', 'given', ...preferring)));
  const metrics = (await readFile(at('preferred', 'metrics.jsonl'), 'utf8')).trim().split('\n');
  expect(JSON.parse(metrics.at(-1)!)).toMatchObject({ 'preferences/pairs': 4, 'preferences/accuracy': 1 });

  // Filtered behaviour cloning imitates the conversations with the best rewards, and the preferred answers of pairs.
  await writeFile(
    at('rated.jsonl'),
    lines((room, next) => ({ ...answered(room, next), reward: Number(room === 'hall') })),
  );
  const filtered = ['algorithm=filteredbc', `policy_lm=${start}`];
  for (const [file, kept] of [
    ['rated', 0.25],
    ['pairs', 0.5],
  ] as const) {
    const ended = await runHere(on(`${file}.jsonl`, `best-of-${file}`, 'given', ...filtered));
    expect({ file, code: ended.code }).toEqual({ file, code: 0 });
    const logged = (await readFile(at(`best-of-${file}`, 'metrics.jsonl'), 'utf8')).trim().split('\n');
    expect(JSON.parse(logged.at(-1)!)).toMatchObject({ 'filter/kept_share': kept });
  }
  const unrated = await runHere(on('rooms.jsonl', 'unrated', 'given', ...filtered));
  expect(unrated).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('by their reward, and 4 of 4 have none') as string,
  });

  const refusal = /line 1: has a 'chosen' and a 'rejected' answer, and the rejected one would be imitated too/;
  const finetune = [
    '--config-name',
    'finetune',
    `model=${start}`,
    `data=${at('pairs.jsonl')}`,
    `save_path=${at('tuned')}`,
  ];
  for (const words of [on('pairs.jsonl', 'cloned', 'given', `policy_lm=${start}`), finetune]) {
    const { code, stderr } = await runHere(words);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(refusal) as string });
  }
}, 120_000);
