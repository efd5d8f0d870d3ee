// Behaviour cloning of a model that is given, through the real command.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tinyGame } from './command-line.js';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-bc-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a given policy learns the demonstrations; the run again does nothing, its folder is left as it was', async () => {
  const at = (...path: string[]) => join(directory, ...path);
  const ends = async (name: string, ...overrides: string[]) => {
    const args = ['--config-name', 'bc_20q', ...tinyGame, `save_path=${at(name)}`, `cache_dir=${at('cache')}`];
    const { code, stderr } = await run([...args, ...overrides]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  };
  await ends('start');
  const [start] = await readdir(at('cache', 'warm-starts'));
  const weights = (folder: string) => readFile(join(folder, 'model.safetensors'));
  const given = at('cache', 'warm-starts', start);
  const before = await weights(given);

  await ends('further', `policy_lm=${given}`);
  const trained = at('further', 'checkpoints', 'best');
  expect((await weights(given)).equals(before)).toBe(true);
  expect((await weights(trained)).equals(before)).toBe(false);
  const losses = async (folder: string): Promise<number[]> =>
    (await readFile(join(folder, 'metrics.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { 'losses/nll': number })['losses/nll']);
  expect((await losses(trained)).at(-1)).toBeLessThan((await losses(given)).at(-1)!);

  await rm(at('further', 'results.json'));
  const after = await weights(trained);
  await ends('further', `policy_lm=${given}`);
  expect((await weights(trained)).equals(after)).toBe(true);
});
