// task=evaluate and task=reverify as a user runs them.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './command-line.js';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'bowyer-evaluate-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (...path: string[]) => join(folder, ...path);
const read = (...path: string[]) => readFile(at(...path), 'utf8');

const tiny = ['policy.n_embd=16', 'policy.n_layer=1', 'policy.n_head=2', 'demonstrations.count=32', 'epochs=1'];
const played = ['--config-name', 'bc_20q', 'env.max_turns=3', 'max_new_tokens=4', 'slots=2'];

test('agents meet on the same games; two processes play the same as one; stored episodes can be scored again', async () => {
  const trained = await run([...played, ...tiny, 'test_size=2', `save_path=${at('run')}`]);
  expect(trained).toMatchObject({ code: 0 });
  const evaluate = (processes: number) =>
    run([
      ...[
        ...played,
        'task=evaluate',
        `checkpoint_path=${at('run')}`,
        `compare_with=[${at('run', 'checkpoints', 'best')}]`,
      ],
      ...['test_size=9', 'seeds=[1,2]', `processes=${processes}`, `save_path=${at(String(processes))}`],
    ]);
  const [one, two] = await Promise.all([evaluate(1), evaluate(2)]);
  expect(one).toMatchObject({ code: 0 });
  expect(one.stdout).toContain('sampled play on 18 held-out episodes: same words, new games');
  expect(two.stdout).toBe(one.stdout);
  for (const file of ['trajectories/test.jsonl', 'agentgym.jsonl', 'results.json'])
    expect(await read('2', file)).toBe(await read('1', file));
  // The same agent under two names.
  expect(JSON.parse(await read('1', 'results.json'))).toMatchObject({ comparisons: [] });

  const again = ['--config-name', 'reverify', `input=${at('1', 'trajectories', 'test.jsonl')}`, 'env.max_turns=3'];
  const shorter = await run([...again, 'env.max_turns=2', `save_path=${at('shorter')}`]);
  expect(shorter.stdout).toMatch(
    /as stored +-3\.00[^]*scored again +-2\.00[^]*36 of 36 returns changed[^]*in 36 episodes/,
  );
}, 120_000);
