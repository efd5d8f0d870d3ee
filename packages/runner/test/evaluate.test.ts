// Tests task=evaluate and task=reverify as a user runs them.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, when } from '@bowyer/testing';
import { repository, run } from './command-line.js';
import { runHere } from './in-process.js';

const folder = newFolder();
beforeAll(async () => {
  expect(await runHere([...played, ...tiny, 'test_size=2', `save_path=${at('run')}`])).toMatchObject({ code: 0 });
});
const at = (...path: string[]) => join(folder, ...path);
const read = (...path: string[]) => readFile(at(...path), 'utf8');

const tiny = ['policy.n_embd=16', 'policy.n_layer=1', 'policy.n_head=2', 'demonstrations.count=32', 'epochs=1'];
const played = ['--config-name', 'bc_20q', 'env.max_turns=3', 'max_new_tokens=4', 'slots=2'];

const evaluation = (name: string, ...options: string[]) => [
  ...played,
  'task=evaluate',
  `checkpoint_path=${at('run')}`,
  `compare_with=[${at('run', 'checkpoints', 'best')}]`,
  'test_size=9',
  'seeds=[1,2]',
  `save_path=${at(name)}`,
  ...options,
];
const files = ['trajectories/test.jsonl', 'agentgym.jsonl', 'results.json'];

test('agents play the same games; two processes play the same as one; stored episodes can be scored again', async () => {
  const [one, two] = await Promise.all([1, 2].map((count) => run(evaluation(String(count), `processes=${count}`))));
  expect(one).toMatchObject({ code: 0 });
  expect(one.stdout).toContain('sampled play on 18 held-out episodes: same words, new games');
  const table = (stdout: string) => stdout.replace(/^\[.*\n/gm, '');
  expect(table(two.stdout)).toBe(table(one.stdout));
  expect(two.stdout).toMatch(/^\[.* 2 processes play the episodes, 1 thread each$/m);
  for (const file of files) expect(await read('2', file)).toBe(await read('1', file));
  // The same agent with two names.
  expect(JSON.parse(await read('1', 'results.json'))).toMatchObject({ comparisons: [] });

  const again = ['--config-name', 'reverify', `input=${at('1', 'trajectories', 'test.jsonl')}`, 'env.max_turns=3'];
  const shorter = await runHere([...again, 'env.max_turns=2', `save_path=${at('shorter')}`]);
  expect(shorter.stdout).toMatch(
    /as stored +-3\.00[^]*scored again +-2\.00[^]*36 of 36 returns changed[^]*in 36 episodes/,
  );
  const [line] = (await read('1', 'trajectories', 'test.jsonl')).split('\n');
  await writeFile(at('other.jsonl'), line.replace('"action":', '"mask":0,"action":'));
  const other = await runHere(['--config-name', 'reverify', `input=${at('other.jsonl')}`, `save_path=${at('other')}`]);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("  'mask' of a turn: line 1\n") as unknown });
}, 180_000);

const hasMpi = spawnSync('mpirun', ['--version']).stdout?.toString().includes('Open MPI') ?? false;
when(hasMpi, 'no mpirun of Open MPI').test(
  'two ranks play the episodes of one process',
  async () => {
    const options = ['test_size=3', 'seeds=[1]', 'compare_with=[]', 'threads=1'];
    expect(await run(evaluation('alone', ...options))).toMatchObject({ code: 0 });
    const mpirun = ['--allow-run-as-root', '--oversubscribe', '--bind-to', 'none', '-n', '2', process.execPath];
    const args = [...mpirun, join(repository, 'packages/runner/bin/bowyer.js'), ...evaluation('ranks', ...options)];
    const { status, stderr } = spawnSync('mpirun', args, { cwd: repository, timeout: 120_000 });
    expect({ status, errors: stderr.toString() }).toMatchObject({ status: 0 });
    // Log-probabilities in trajectories may differ by rounding, since batches have other sizes.
    const same = async (run: string, file: string) => {
      const text = await read(run, file);
      if (file !== 'results.json') return text;
      const { processes, ...results } = JSON.parse(text) as { processes?: { ranks: number } };
      expect(processes?.ranks).toBe(run === 'ranks' ? 2 : undefined);
      return results;
    };
    for (const file of files.slice(1)) expect(await same('ranks', file)).toEqual(await same('alone', file));
  },
  180_000,
);
