// A run killed with SIGKILL at any moment and started again on its folder ends with the bytes of one never killed.
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { run, tinyGame } from './command-line.js';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-kill-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

const KILLS = 4;

const growingMemory = [
  'memory=bm25',
  'memory.demonstrations=false',
  'memory.grow=true',
  'memory.min_return=-99',
  'memory.max_chars=200',
];

// Besides the default optimizer, those that keep other state and a rate that changes.
test.each<{ config: string; options: string[]; files?: string[] }>([
  {
    config: 'archer_20q',
    options: [
      'td_steps=2',
      'importance_clip=5',
      'kl_coefficient=0.1',
      'use_baseline=true',
      'rollout.mode=lock_step',
      'optimizer=muon',
    ],
  },
  { config: 'chai_20q', options: ['optimizer=adamw_8bit'] },
  {
    config: 'online_filteredbc_20q',
    options: ['optimizer=sgd', 'optimizer.nesterov=true', 'lm_schedule.kind=cosine', ...growingMemory],
    files: ['checkpoints/000004/memory.jsonl'],
  },
])(
  '$config $options: killed and resumed, the metrics are byte-equal',
  async ({ config, options, files = [] }) => {
    const command = (name: string) => [
      ...tinyGame(config),
      'iterations=4',
      ...options,
      `save_path=${join(directory, name)}`,
      `cache_dir=${join(directory, `${name}-cache`)}`,
    ];
    const started = performance.now();
    const undisturbed = await run(command('whole'));
    const duration = performance.now() - started;
    expect(undisturbed).toMatchObject({ code: 0 });

    const rng = Rng.forPurpose(duration, config); // other moments at each run of the test
    for (let kill = 0; kill < KILLS; kill++) await run(command('killed'), { killAfterMs: rng.uniform() * duration });
    expect(await run(command('killed'))).toMatchObject({ code: 0 });

    for (const file of ['metrics.jsonl', 'trajectories/rollout.jsonl', 'results.json', ...files]) {
      const [whole, killed] = await Promise.all(
        ['whole', 'killed'].map((name) => readFile(join(directory, name, file))),
      );
      expect(whole.length).toBeGreaterThan(0);
      expect(killed.equals(whole)).toBe(true);
    }
  },
  300_000,
);

test('killed between two policies of its final test, a run resumes with the second', async () => {
  const command = (name: string) => [
    ...tinyGame('archer_20q'),
    'iterations=4',
    `save_path=${join(directory, name)}`,
    `cache_dir=${join(directory, 'tested-cache')}`,
  ];
  expect(await run(command('tested'))).toMatchObject({ code: 0 });
  const kept = join(directory, 'cut', 'tested');
  const hasPlayed = () => existsSync(kept) && readdirSync(kept).some((file) => file.endsWith('.v8'));
  expect(await run(command('cut'), { killWhen: hasPlayed })).toMatchObject({ signal: 'SIGKILL' });
  const resumed = await run(command('cut'));
  expect(resumed).toMatchObject({ code: 0 });
  expect(resumed.stdout).toContain('the last policy has played its test (');
  expect(resumed.stdout).not.toContain('testing the last policy');
  for (const file of ['results.json', 'trajectories/test.jsonl']) {
    const [whole, cut] = await Promise.all(['tested', 'cut'].map((name) => readFile(join(directory, name, file))));
    expect(cut.equals(whole)).toBe(true);
  }
  expect(existsSync(kept)).toBe(false);
}, 120_000);
