// Tests the figures for papers, from run folders with known numbers to the written files.
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFigures } from '../src/index.js';
import { runHere } from './in-process.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'figures-'));
});
afterEach(() => rm(folder, { recursive: true }));

const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

interface Made {
  algorithm: string;
  seed: number;
  env?: string;
  /** The evaluation's return of each iteration. */
  returns: number[];
  /** The number of episodes of each iteration; absent if the algorithm has no rollouts. */
  episodes?: number;
  test?: number;
}

/**
 * Writes a run's folder: episodes of 5 turns with 10 tokens each, and in each iteration 2 seconds of rollouts and 30 of
 * evaluation.
 */
async function made({ algorithm, seed, env = 'coin', returns, episodes, test: score }: Made): Promise<string> {
  const directory = join(folder, `${algorithm}-${env}-${seed}`);
  await mkdir(directory);
  const collected = episodes !== undefined && {
    'rollout/episodes': episodes,
    'rollout/episode_turns': 5,
    'rollout/tokens': 10 * episodes,
  };
  const rows = returns.map((value, i) => ({ iteration: i + 1, 'eval/episodic_return': value, ...collected }));
  await writeFile(join(directory, 'metrics.jsonl'), jsonl(rows));
  const timings = rows.map(({ iteration }) => ({ iteration, rollout: 2, 'learner idle': 1, eval: 30, checkpoint: 4 }));
  // The second iteration was repeated after a kill.
  await writeFile(
    join(directory, 'timings.jsonl'),
    jsonl([timings[0], { iteration: 2, rollout: 99 }, ...timings.slice(1)]),
  );
  await writeFile(
    join(directory, 'run-config.json'),
    JSON.stringify({ task: 'train', agentType: algorithm, seed, env: { name: env }, algorithm: { name: algorithm } }),
  );
  if (score !== undefined) {
    const policies = [{ name: 'last', metrics: { 'test/episodic_return': score } }];
    await writeFile(join(directory, 'results.json'), JSON.stringify({ policies }));
  }
  return directory;
}

const figures = (dirs: string[], options: Omit<Parameters<typeof writeFigures>[0], 'dirs' | 'directory'> = {}) =>
  writeFigures({ dirs, directory: join(folder, 'out'), ...options });
const written = (name: string) => readFile(join(folder, 'out', name), 'utf8');

test('curves have the mean over seeds and its interval by Student’s t, as numbers and as a drawing', async () => {
  await Promise.all(
    [1, 2, 3].map((seed) => made({ algorithm: 'grpo', seed, returns: [seed, 10 * seed], episodes: 8 })),
  );
  await made({ algorithm: 'ppo', seed: 1, returns: [5, 6], episodes: 8 });
  const { curves } = await figures([folder]);
  expect(curves.map(({ method, points }) => [method, points.map(({ x }) => x)])).toEqual([
    ['grpo', [1, 2]],
    ['ppo', [1, 2]],
  ]);
  // mean 2, standard error 1/√3, t of two degrees of freedom 4.30265
  expect(curves[0].points[0].mean).toBe(2);
  expect(curves[0].points[0].low).toBeCloseTo(2 - 4.30265 / Math.sqrt(3), 4);
  expect(curves[0].points[0].high).toBeCloseTo(2 + 4.30265 / Math.sqrt(3), 4);
  expect(curves[1].points[0]).toEqual({ x: 1, mean: 5, low: null, high: null, runs: 1 });
  expect((await written('curves.csv')).split('\n').slice(0, 1)).toEqual([
    'environment,method,iterations,mean,low,high,runs',
  ]);
  expect(await written('curves.csv')).toContain('coin,ppo,1,5,,,1\n');
  const drawing = await written('curves.svg');
  expect(drawing.match(/<polyline/g)).toHaveLength(2);
  expect(drawing.match(/<polygon/g)).toHaveLength(1);
  expect(drawing).toContain('coin: eval/episodic_return');
});

test('an axis counts what the rollouts did; runs at other positions are joined on the part that all have', async () => {
  const small = await made({ algorithm: 'grpo', seed: 1, returns: [0, 10, 20], episodes: 4 });
  const large = await made({ algorithm: 'grpo', seed: 2, returns: [0, 10, 20], episodes: 8 });
  const of = async (x: 'steps' | 'tokens' | 'seconds') =>
    (await figures([small], { x })).curves[0].points.map((at) => at.x);
  expect(await of('steps')).toEqual([20, 40, 60]);
  expect(await of('tokens')).toEqual([40, 80, 120]);
  expect(await of('seconds')).toEqual([2, 4, 6]); // without the evaluation's seconds, and the repeated iteration only once
  const [{ points }] = (await figures([small, large], { x: 'steps' })).curves;
  expect([points[0].x, points.at(-1)!.x]).toEqual([40, 60]);
  expect(points[0].mean).toBe(5); // 10 and 0
  expect(points.at(-1)!.mean).toBeCloseTo(12.5, 10); // 20, and half-way from 0 to 10
});

test('scores are those of the final test, with the interquartile mean over environments and the pairs', async () => {
  const scores = { coin: [1, 2, 3, 4], maze: [5, 6, 7, 80] };
  for (const [env, own] of Object.entries(scores))
    for (const [i, score] of own.entries()) {
      await made({ algorithm: 'archer', seed: i, env, returns: [0], test: score });
      await made({ algorithm: 'b_c', seed: i, env, returns: [0], test: 2.5 });
    }
  const { methods, improvements, environments, files } = await figures([folder]);
  expect(environments).toEqual(['coin', 'maze']);
  expect(methods[0].means.map(({ value }) => value)).toEqual([2.5, 24.5]);
  expect(methods[0].interquartileMean.value).toBe((3 + 4 + 5 + 6) / 4);
  expect(improvements).toHaveLength(1);
  expect(improvements[0]).toMatchObject({ first: 'archer', second: 'b_c', value: (0.5 + 1) / 2 });
  expect(files.map((file) => file.slice(folder.length + 5)).sort()).toEqual([
    'curves-coin.svg',
    'curves-maze.svg',
    'curves.csv',
    'runs.csv',
    'scores.csv',
    'table.tex',
  ]);
  const table = await written('table.tex');
  expect(table).toContain('Method & Seeds & coin & maze & IQM \\\\');
  expect(table).toContain('b\\_c & 4 & $2.50$ [$2.50$, $2.50$]');
  expect(await written('scores.csv')).toContain('probability_of_improvement,archer,b_c,,0.75,');
  expect((await written('runs.csv')).split('\n')).toHaveLength(18);
});

test('settings of one algorithm are methods apart, by what differs', async () => {
  const one = await made({ algorithm: 'grpo', seed: 1, returns: [1] });
  const other = await made({ algorithm: 'grpo', seed: 2, returns: [2] });
  await writeFile(
    join(other, 'run-config.json'),
    JSON.stringify({
      task: 'train',
      agentType: 'grpo',
      seed: 2,
      env: { name: 'coin' },
      algorithm: { name: 'grpo', lr: 1 },
    }),
  );
  const { methods } = await figures([one, other]);
  expect(methods.map(({ method }) => method)).toEqual(['algorithm.lr=–', 'algorithm.lr=1']);
});

test('trainings of agents, which have no environment, are of one: their task', async () => {
  for (const seed of [0, 1]) {
    const directory = await made({ algorithm: 'grpo', seed, returns: [seed] });
    const config = { task: { name: 'train_agent' }, agentType: 'grpo', seed, algorithm: { name: 'grpo' } };
    await writeFile(join(directory, 'run-config.json'), JSON.stringify(config));
  }
  const { environments, methods } = await figures([folder]);
  expect(environments).toEqual(['train_agent']);
  expect(methods).toMatchObject([{ method: 'grpo', seeds: 2 }]);
});

test('what cannot be drawn is refused before a file is written, with the way out', async () => {
  const online = await made({ algorithm: 'grpo', seed: 1, returns: [1, 2], episodes: 8 });
  const offline = await made({ algorithm: 'bc', seed: 1, returns: [1, 2] });
  await expect(figures([online, offline], { x: 'steps' })).rejects.toThrow(
    /bc-coin-1 has no rollout\/episodes[^]*task\.x=iterations/,
  );
  await expect(figures([online, offline], { metric: 'win_rate' })).rejects.toThrow(
    /no eval\/win_rate and no rollout\/win_rate[^]*choose one that all runs have: eval\/episodic_return/,
  );
  const elsewhere = await made({ algorithm: 'grpo', seed: 1, env: 'maze', returns: [1] });
  const twice = await made({ algorithm: 'grpo', seed: 2, env: 'maze', returns: [1] });
  await expect(figures([online, elsewhere, twice])).rejects.toThrow(/1 runs of coin and 2 runs of maze/);
  await rm(join(twice, 'run-config.json'));
  await writeFile(join(twice, 'run-config.json'), await readFile(join(elsewhere, 'run-config.json')));
  await expect(figures([elsewhere, twice])).rejects.toThrow(/both grpo with seed 1 in maze/);
  await expect(figures([join(folder, 'none')])).rejects.toThrow('there is no such folder');
  expect(await readdir(folder)).not.toContain('out');
});

test('the command writes the files into its own folder and prints the tables', async () => {
  await Promise.all(
    ['grpo', 'ppo'].map((algorithm, i) => made({ algorithm, seed: 1, returns: [i], episodes: 8, test: i })),
  );
  const { code, stdout } = await runHere(['--config-name', 'figures', `dirs=[${folder}]`, `save_path=${folder}/out`]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/grpo +1 +0\.00 +0\.00/);
  expect(stdout).toMatch(/grpo > ppo +0\.00/);
  expect(await readdir(join(folder, 'out'))).toEqual(expect.arrayContaining(['curves.svg', 'table.tex']));
});
