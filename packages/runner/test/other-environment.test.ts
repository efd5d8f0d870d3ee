// Tests all steps with an environment other than Twenty Questions: expert play, warm start, training, and test.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { tinyRun, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

const coin = ['env=coin', 'env.params="numLocations=2,includeDoors=0"', 'env.step_limit=9'];

test('archer warm-starts on the gold paths of the coin game and trains on', async () => {
  const { stdout } = await succeeds(
    runHere([
      ...tinyRun('archer_20q'),
      ...coin,
      'iterations=2',
      'warmup_iter=1',
      `save_path=${join(directory, 'run')}`,
      `cache_dir=${join(directory, 'cache')}`,
    ]),
  );
  expect(stdout).toContain('warm start');
  const { policies } = JSON.parse(await readFile(join(directory, 'run', 'results.json'), 'utf8'));
  for (const { metrics } of policies) {
    // the reward is a point for the coin, and nothing else
    expect(metrics['test/episodic_return']).toBe(metrics['test/win_rate']);
    expect(metrics['test/episode_turns']).toBeLessThanOrEqual(10);
  }
}, 180_000);

test('task=demonstrations writes episodes that demonstrations.path reads', async () => {
  const made = await runHere([
    '--config-name',
    'archer_20q',
    'task=demonstrations',
    ...coin,
    'demonstrations.count=20',
    `save_path=${join(directory, 'made')}`,
  ]);
  expect(made.stdout).toContain('20 episodes, ');
  expect(made.stdout).toContain('mean return 1.00');
  const path = join(directory, 'made', 'demonstrations.jsonl');
  const read = await runHere([
    '--config-name',
    'archer_20q',
    'task=demonstrations',
    ...coin,
    `demonstrations.path=${path}`,
    `save_path=${join(directory, 'read')}`,
  ]);
  expect(read.code).toBe(0);
  expect(await readFile(join(directory, 'read', 'demonstrations.jsonl'), 'utf8')).toBe(await readFile(path, 'utf8'));
});

test('an environment without an expert says what it needs instead', async () => {
  const { code, stderr } = await runHere([
    '--config-name',
    'archer_20q',
    'env=adventure',
    'env.story=a.z5',
    `save_path=${join(directory, 'run')}`,
  ]);
  expect({ code, made: existsSync(join(directory, 'run')) }).toEqual({ code: 1, made: false });
  expect(stderr).toContain(
    [
      'a story file has no demonstrations of its own',
      '  give a policy with policy.model=FOLDER, or episodes with demonstrations.path=FILE.jsonl',
      '  to play some yourself: npx bowyer --config-name play env=adventure task.output=FILE.jsonl',
    ].join('\n'),
  );
});

test.each([
  [
    ['env=coin', '+env.max_tuns=3'],
    [/^ *Unknown config key 'env\.max_tuns'$/m, /known keys in 'env': name, fold, .*show_valid_actions$/m],
  ],
  [
    ['env=maze', 'env_name=coin'],
    [
      /^env_name is coin, but the options of the node 'env' are those of maze$/m,
      /choose the environment with its options: env=coin$/m,
    ],
  ],
])('%s: reported before anything is made', async (overrides, messages) => {
  const folder = join(directory, 'run');
  const { code, stdout, stderr } = await runHere(['--config-name', 'archer_20q', ...overrides, `save_path=${folder}`]);
  expect({ code, stdout, made: existsSync(folder) }).toEqual({ code: 1, stdout: '', made: false });
  for (const message of messages) expect(stderr).toMatch(message);
});
