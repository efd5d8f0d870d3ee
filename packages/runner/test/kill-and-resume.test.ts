// Tests that a run that is killed with SIGKILL at any moment and started again with its folder ends with the same bytes as one
// that was never killed.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { newFolder, isExhaustive, whenExhaustive } from '@bowyer/testing';
import { run, tinyGame, succeeds } from './command-line.js';

const directory = newFolder();

/** The number of kills of each run, each at a random moment within its own part of the run. */
const KILLS = isExhaustive() ? 8 : 1;

const command = (config: string, options: readonly string[], name: string) => [
  ...tinyGame(config),
  'iterations=4',
  ...options,
  `save_path=${join(directory, name)}`,
  `cache_dir=${join(directory, `${name}-cache`)}`,
];

const growingMemory = [
  'memory=bm25',
  'memory.demonstrations=false',
  'memory.grow=true',
  'memory.min_return=-99',
  'memory.max_chars=200',
];

const archer = {
  config: 'archer_20q',
  options: [
    'iterations=3',
    'warmup_iter=1',
    'td_steps=2',
    'importance_clip=5',
    'kl_coefficient=0.1',
    'use_baseline=true',
    'rollout.mode=lock_step',
    'optimizer=muon',
    'threads=0',
  ],
};

/** Makes a run that is not killed. @returns its folder, and its duration in milliseconds */
async function runUndisturbed(config: string, options: readonly string[]) {
  const whole = `${config}-whole`;
  const started = performance.now();
  expect(await run(command(config, options, whole))).toMatchObject({ code: 0 });
  return { whole, duration: performance.now() - started };
}

async function expectSameBytes(files: readonly string[], ...names: [string, string]): Promise<void> {
  for (const file of files) {
    const [whole, killed] = await Promise.all(names.map((name) => readFile(join(directory, name, file))));
    expect(whole.length).toBeGreaterThan(0);
    expect(killed.equals(whole)).toBe(true);
  }
}

interface Trained {
  config: string;
  options: string[];
  /** Further files that must have the same bytes. */
  files?: string[];
}

const killedFolder = (config: string) => `${config}-killed`;

/** Starts a run and kills it, at a random moment within each part of it. @param killWhen a condition that kills it too */
async function kill(config: string, options: readonly string[], duration: number, killWhen?: () => boolean) {
  const rng = Rng.forPurpose(duration, config); // each run of the test kills at other moments
  for (let part = 0; part < KILLS; part++) {
    const killAfterMs = ((part + rng.uniform()) / KILLS) * duration;
    await run(command(config, options, killedFolder(config)), { killAfterMs, killWhen });
  }
}

const FILES = ['metrics.jsonl', 'trajectories/rollout.jsonl', 'trajectories/test.jsonl', 'results.json'];

async function expectSameWhenKilled({ config, options, files = [] }: Trained): Promise<void> {
  const { whole, duration } = await runUndisturbed(config, options);
  await kill(config, options, duration);
  expect(await run(command(config, options, killedFolder(config)))).toMatchObject({ code: 0 });
  await expectSameBytes([...FILES, ...files], whole, killedFolder(config));
}

// Besides the default optimizer, there are optimizers with other state, a rate that changes, and adapters with dropout on a base
// in 8 bits.
const adapters = [
  'use_lora=true',
  'lora.r=4',
  'lora.dropout=0.1',
  'lora.target_modules=all-linear',
  'quantization=8bit',
];
const memory: Trained = {
  config: 'online_filteredbc_20q',
  options: ['optimizer=sgd', 'optimizer.nesterov=true', 'lm_schedule.kind=cosine', ...adapters, ...growingMemory],
  files: ['checkpoints/000004/memory.jsonl'],
};
const chai: Trained = { config: 'chai_20q', options: ['optimizer=adamw_8bit'] };
const title = '$config $options: killed and resumed, the metrics are byte-equal';
test.each([memory])(title, expectSameWhenKilled, 300_000);
whenExhaustive().test.each([chai])(title, expectSameWhenKilled, 300_000);

test('archer, killed at any moment and then between two policies of its final test, resumes with the second; the metrics are byte-equal', async () => {
  const { config, options } = archer;
  const { whole, duration } = await runUndisturbed(config, options);
  const kept = join(directory, killedFolder(config), 'tested');
  const hasPlayed = () => existsSync(kept) && readdirSync(kept).some((file) => file.endsWith('.v8'));
  await kill(config, options, duration, hasPlayed);
  const words = command(config, options, killedFolder(config));
  expect(await run(words, { killWhen: hasPlayed })).toMatchObject({ signal: 'SIGKILL' });
  const resumed = await succeeds(run(words));
  expect(resumed.stdout).toContain('the last policy has played its test (');
  expect(resumed.stdout).not.toContain('testing the last policy');
  await expectSameBytes(FILES, whole, killedFolder(config));
  expect(existsSync(kept)).toBe(false);
}, 300_000);
