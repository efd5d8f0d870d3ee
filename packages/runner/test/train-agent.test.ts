// Tests task=train_agent from the command line: a program in a separate process, a crash, a judge, and the evaluation of the
// trained agent.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { succeeds } from './command-line.js';
import { colourProgram } from './colour-program.js';
import { runHere } from './in-process.js';

/** A judge whose reward is a quarter for each call. */
const judge = `
import { readFileSync } from 'node:fs';
const { rollout } = JSON.parse(readFileSync(0, 'utf8'));
console.log(rollout.calls.length / 4);
`;

let folder: string;
beforeAll(async () => {
  folder = await colourProgram([{ id: 'broken' }]);
  await writeFile(join(folder, 'judge.mjs'), judge);
});
afterAll(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const play = (config: string, agent: string, ...words: string[]) =>
  runHere([
    '--config-name',
    config,
    `agent=node ${at(agent)}`,
    `tasks=${at('tasks.jsonl')}`,
    'threads=1',
    'eval_share=0',
    'test_share=0',
    'concurrency=2',
    'attempts=1',
    ...words,
  ]);
/** Trains for one iteration, whose groups have two rollouts. */
const train = (agent: string, ...words: string[]) => {
  const short = ['algorithm=rloo', 'iterations=1', 'group_size=2', 'sampling_rounds=1', 'lm_lr=0.01'];
  return play('train_agent', agent, `model=${at('model')}`, ...short, ...words);
};

test('a program is trained and evaluated from the command line', async () => {
  await succeeds(train('agent.mjs', 'rollout_size=10', 'eval_size=5', 'test_size=5', `save_path=${at('run')}`));
  const metrics = JSON.parse((await readFile(at('run/metrics.jsonl'), 'utf8')).trim().split('\n').at(-1)!) as Record<
    string,
    number
  >;
  expect(metrics['rollout/episodes']).toBe(8); // the two rollouts of the broken task are omitted
  expect((await readdir(at('run/programs'))).length).toBeGreaterThan(10);
  const log = await readFile(at('run/run.log'), 'utf8');
  expect(log).toMatch(/rollout episode \d failed and is left out: 'node .*agent.mjs' ended with exit code 3/);

  const words = ['samples=2', 'fail_below=0.5', `reward=node ${at('judge.mjs')}`, `save_path=${at('evaluation')}`];
  const models = [`model=${at('run')}`, `compare_with=[${at('model')}]`];
  const evaluated = await play('evaluate_agent', 'agent.mjs', ...models, ...words);
  expect(evaluated.code).toBe(1);
  expect(evaluated.stderr).toContain('the mean reward is 0.200, below task.fail_below=0.5');
}, 600_000);

test('a program that cannot run has no score: the evaluation fails with its reason, and its folder is free for the next', async () => {
  const evaluate = (agent: string, ...more: string[]) =>
    play('evaluate_agent', agent, `model=${at('model')}`, 'samples=1', `save_path=${at('absent')}`, ...more);
  const absent = await evaluate('absent.mjs');
  expect(absent.code).toBe(1);
  expect(absent.stderr).toMatch(
    /3 of 5 episodes \(test\) failed, more than play.max_failure_share 0\.5 allows\n {2}the first: 'node \S*absent\.mjs' ended with exit code 1: Error: Cannot find module/,
  );
  expect(absent.stdout).not.toMatch(/return|pass@k/);

  const works = await evaluate('agent.mjs');
  expect(works.code).toBe(0);
  expect(works.stdout).toMatch(
    /\nfailed with \S+: 1 of 5 rollouts\n {2}1: 'node \S+agent\.mjs' ended with exit code 3\n/,
  );

  const all = await evaluate('absent.mjs', 'max_failure_share=1', `save_path=${at('all')}`);
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(/5 of 5 rollouts, which leaves no score\n/);
  expect(all.stdout).toMatch(/\n\S+ +– +– +– +– +– +–\n/);
  expect(all.stdout).not.toMatch(/0\.00/);
}, 600_000);

test('a training that failed leaves its folder free: the corrected command trains there, and the files of the first are kept', async () => {
  const sizes = ['rollout_size=4', 'eval_size=2', 'test_size=2', `save_path=${at('corrected')}`];
  const failed = await train('absent.mjs', ...sizes);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('Cannot find module');
  const left = await readFile(at('corrected/run-config.json'), 'utf8');
  expect(left).toContain('absent.mjs');

  await succeeds(train('agent.mjs', ...sizes));
  expect(await readFile(at('corrected/failed-1/run-config.json'), 'utf8')).toBe(left);
  expect(await readFile(at('corrected/run-config.json'), 'utf8')).not.toContain('absent.mjs');
  expect(await readFile(at('corrected/run.log'), 'utf8')).toContain(
    `the files of a run with another config, which ended without results, are in ${at('corrected/failed-1')} now`,
  );
  const rollouts = await readdir(at('corrected/failed-1/programs'));
  expect(rollouts).not.toEqual([]);

  const other = await train('other.mjs', ...sizes);
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(/contains a run with another config:[^]*other\.mjs/);
  expect(await readdir(at('corrected'))).not.toContain('failed-2');
}, 600_000);
