// Tests LoRA with the real command: algorithms train adapters and do not change the base; saved agents are played, and merged
// into a plain model. kill-and-resume.test.ts kills runs with adapters.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { PlayTable } from '../src/tasks/dashboard/play-table.js';
import { tinyGame, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();
/** The base of the adapters, which is made once. */
let base: string;
beforeAll(async () => {
  await ends([...tinyGame('bc_20q'), 'threads=1', `save_path=${at('start')}`]);
  base = at('start', 'checkpoints', 'best');
});

const at = (...path: string[]) => join(directory, ...path);
const lora = ['use_lora=true', 'lora.r=4', 'lora.dropout=0.1', 'lora.target_modules=all-linear', 'threads=1'];
async function ends(args: readonly string[]) {
  const ended = await succeeds(runHere(args));
  return ended;
}

/** Returns whether any B, which is zero at the start, has changed. */
async function hasLearnt(adapter: string): Promise<boolean> {
  const tensors = await readSafetensors(join(adapter, 'adapter_model.safetensors'));
  return Object.entries(tensors).some(([name, { data }]) => name.includes('lora_B') && data.some((x) => x !== 0));
}

test('archer: the base’s bits stay; the adapter is evaluated, played in the dashboard, generates, and is merged', async () => {
  const weights = join(base, 'model.safetensors');
  const before = await readFile(weights);
  // Without a warm-up, the first policy that is called the best one has been trained.
  const training = ['iterations=4', 'warmup_iter=0', 'lm_lr=1e-2', `policy_lm=${base}`];
  await ends([...tinyGame('archer_20q', 'given'), ...lora, ...training, `save_path=${at('archer')}`]);
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

  const table = new PlayTable(); // as the dashboard opens it
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

test('adapters without a trained model beside them are refused', async () => {
  const { code, stderr } = await runHere([...tinyGame('bc_20q'), ...lora, `save_path=${at('none')}`]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'lora.enabled=true: adapters need a trained model beside them, and none is given\n' +
      '  in command line: use_lora=true\n' +
      '  give one with policy.model=FOLDER, or write lora.enabled=false to train the whole policy\n',
  );
}, 200_000);
