// Behaviour cloning of a model that is given, through the real command.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyGame } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-bc-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a given policy learns the demonstrations; the run again does nothing, its folder is left as it was', async () => {
  const at = (...path: string[]) => join(directory, ...path);
  const ends = async (name: string, start: 'made' | 'given', ...overrides: string[]) => {
    const { code, stderr } = await runHere([...tinyGame('bc_20q', start), `save_path=${at(name)}`, ...overrides]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  };
  /** The rows of the final test. */
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
  expect(column('iteration')).toEqual(rows.map((_, i) => String(i))); // each step is evaluated
  expect(rows.length).toBeGreaterThan(3);

  await rm(at('further', 'results.json'));
  const after = await weights(trained);
  await ends('further', 'given', `policy_lm=${given}`);
  expect((await weights(trained)).equals(after)).toBe(true);
});
