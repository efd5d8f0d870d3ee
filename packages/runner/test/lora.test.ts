// LoRA through the real command: algorithms train adapters and leave the base as it is; what is saved is played and merged into a plain
// model. Runs with adapters that are killed are in kill-and-resume.test.ts.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { PlayTable } from '../src/tasks/dashboard/play-table.js';
import { tinyGame } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();
/** A policy to put adapters beside, made once. */
let base: string;
beforeAll(async () => {
  await ends([...tinyGame('bc_20q'), 'threads=1', `save_path=${at('start')}`]);
  base = at('start', 'checkpoints', 'best');
});

const at = (...path: string[]) => join(directory, ...path);
const lora = ['use_lora=true', 'lora.r=4', 'lora.dropout=0.1', 'lora.target_modules=all-linear', 'threads=1'];
/** Further overrides of an algorithm: with no warm-up, the first policy that is called the best has been trained. */
const training: Readonly<Record<string, readonly string[]>> = {
  archer_20q: ['iterations=4', 'warmup_iter=0', 'lm_lr=1e-2'],
  chai_20q: ['iterations=4'],
  online_filteredbc_20q: ['iterations=4', 'warmup_iter=0', 'lm_lr=1e-2'],
  bc_20q: ['lm_lr=1e-2'],
};
const command = (config: string, name: string, ...overrides: string[]) => [
  ...tinyGame(config),
  ...lora,
  ...training[config],
  `save_path=${at(name)}`,
  `cache_dir=${at('cache')}`,
  ...overrides,
];
/** Returns the words of a run beside the model that is given. */
const beside = (config: string, name: string, ...overrides: string[]) => [
  ...tinyGame(config, 'given'),
  ...lora,
  ...training[config],
  `save_path=${at(name)}`,
  `policy_lm=${base}`,
  ...overrides,
];

async function ends(args: readonly string[]) {
  const ended = await runHere(args);
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
  return ended;
}

/** Checks whether some B, which all start at zero, has become anything else. */
async function hasLearnt(adapter: string): Promise<boolean> {
  const tensors = await readSafetensors(join(adapter, 'adapter_model.safetensors'));
  return Object.entries(tensors).some(([name, { data }]) => name.includes('lora_B') && data.some((x) => x !== 0));
}

test('archer: the base’s bits stay; the adapter is evaluated, played in the dashboard, generates, and is merged', async () => {
  const weights = join(base, 'model.safetensors');
  const before = await readFile(weights);
  await ends(beside('archer_20q', 'archer'));
  expect((await readFile(weights)).equals(before)).toBe(true);
  const best = at('archer', 'checkpoints', 'best');
  expect(await hasLearnt(best)).toBe(true);

  const { stdout } = await ends([
    '--config-name',
    'archer_20q',
    'task=evaluate',
    'env.max_turns=6',
    'max_new_tokens=6',
    'slots=8',
    'test_size=8',
    `checkpoint_path=${best}`,
    `save_path=${at('evaluated')}`,
  ]);
  expect(stdout).toContain('best');

  const table = new PlayTable(); // the dashboard's
  const { game, policy } = await table.open(at('archer'), 3);
  expect(policy).toBe('the best agent');
  expect((await table.step(game, null)).action).toMatchObject({ by: 'policy' });
  await table.close();

  await ends(['--config-name', 'convert', `input=${best}`, `output=${at('merged')}`, `save_path=${at('convert')}`]);
  const input = at('prompts.jsonl');
  await writeFile(input, `${JSON.stringify({ prompt: 'Questions:' })}\n${JSON.stringify({ prompt: 'Is it' })}\n`);
  const said = async (model: string) => {
    const output = at('said.jsonl');
    const files = [`model=${model}`, `input=${input}`, `output=${output}`, `save_path=${at('generate')}`];
    await ends(['--config-name', 'generate', ...files, 'max_new_tokens=12', 'ignore_eos=true', 'threads=1']);
    const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as { ids: number[]; logprobs: number[] });
  };
  const [adapted, merged, plain] = [await said(best), await said(at('merged')), await said(base)];
  merged.forEach(({ ids, logprobs }, i) => {
    expect(ids).toEqual(adapted[i].ids);
    logprobs.forEach((x, t) => expect(Math.abs(x - adapted[i].logprobs[t])).toBeLessThan(1e-4));
  });
  expect(plain).not.toEqual(merged);
}, 200_000);

test.each([
  { config: 'chai_20q', options: ['quantization=4bit'], trains: false }, // CHAI's policy proposes and stays as it is
  { config: 'online_filteredbc_20q', options: ['quantization=8bit'], trains: true },
])(
  '$config $options: runs with adapters',
  async ({ config, options, trains }) => {
    await ends(command(config, config, ...options));
    expect(await hasLearnt(at(config, 'checkpoints', 'best'))).toBe(trains);
    const results = JSON.parse(await readFile(at(config, 'results.json'), 'utf8')) as { policies: unknown[] };
    expect(results.policies).toHaveLength(3);
  },
  200_000,
);

test('bc trains adapters on the demonstrations beside a given model, and refuses to without one', async () => {
  await ends(beside('bc_20q', 'bc'));
  expect(await hasLearnt(at('bc', 'checkpoints', 'best'))).toBe(true);
  const epochs = (await readFile(at('bc', 'metrics.jsonl'), 'utf8')).trimEnd().split('\n');
  const losses = epochs.map((line) => (JSON.parse(line) as Record<string, number>)['losses/nll']);
  expect(losses.at(-1)!).toBeLessThan(losses[0]);
  const { code, stderr } = await runHere([...tinyGame('bc_20q'), ...lora, `save_path=${at('none')}`]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'use_lora=true: adapters need a trained model beside them, and none is given\n' +
      '  in command line: use_lora=true\n' +
      '  give one with policy_lm=FOLDER, or write use_lora=false to train the whole policy\n',
  );
}, 200_000);
