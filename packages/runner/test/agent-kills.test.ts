// Tests that a training of an agent that is killed by SIGKILL and started again ends with the same bytes as one that was never
// killed.
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { readRollouts } from '@bowyer/rollouts';
import { isExhaustive } from '@bowyer/testing';
import { colourProgram } from './colour-program.js';
import { run } from './command-line.js';

let folder: string;
beforeAll(async () => (folder = await colourProgram()));
afterAll(() => rm(folder, { recursive: true, force: true }));

const ITERATIONS = 2;
/**
 * The numbers of rollouts of an iteration, of an evaluation (of the initial and of the last agent), and of the final test with
 * each of two policies.
 */
const [ROLLOUTS, EVALUATED, TESTED] = [4, 3, 2];

const command = (name: string) => [
  '--config-name',
  'train_agent',
  `agent=node ${join(folder, 'agent.mjs')}`,
  `tasks=${join(folder, 'tasks.jsonl')}`,
  `model=${join(folder, 'model')}`,
  `save_path=${join(folder, name)}`,
  'algorithm=rloo',
  `iterations=${ITERATIONS}`,
  `rollout_size=${ROLLOUTS}`,
  'group_size=2',
  `test_size=${TESTED}`,
  'sampling_rounds=1',
  'eval_freq=100',
  `eval_size=${EVALUATED}`,
  'eval_share=0',
  'test_share=0',
  'save_freq=1',
  'concurrency=1', // answers that share a batch in another order differ in their last bits
  'threads=1',
  'lm_lr=0.01',
];

/** Counts the agents that a run has started. */
function started(name: string): number {
  const programs = join(folder, name, 'programs');
  return existsSync(programs) ? readdirSync(programs).length : 0;
}

const FILES = ['metrics.jsonl', 'trajectories/rollout.jsonl', 'trajectories/test.jsonl', 'results.json'];

async function expectSameBytes(one: string, other: string): Promise<void> {
  const weights = readdirSync(join(folder, one, 'checkpoints', 'best')).filter((file) => file.endsWith('.safetensors'));
  expect(weights).not.toEqual([]);
  for (const file of [...FILES, ...weights.map((file) => join('checkpoints', 'best', file))]) {
    const [whole, killed] = await Promise.all([one, other].map((name) => readFile(join(folder, name, file))));
    expect({ file, same: killed.equals(whole) }).toEqual({ file, same: true });
  }
}

/** Counts the rollouts in the record of a run, all of which must be readable. */
async function recorded(name: string): Promise<number> {
  let count = 0;
  for await (const { calls } of readRollouts(join(folder, name, 'calls'))) {
    expect(calls.length).toBeLessThanOrEqual(1);
    count++;
  }
  return count;
}

test('a training that is killed in its first rollouts and before its test ends with the same bytes; interrupted rollouts are played again', async () => {
  const began = performance.now();
  expect(await run(command('whole'))).toMatchObject({ code: 0 });
  const duration = performance.now() - began;
  const rng = Rng.forPurpose(duration, 'kills'); // each run of the test kills at another moment
  const inRollouts = await run(command('killed'), { killWhen: () => started('killed') > 1 });
  expect(inRollouts.signal).toBe('SIGKILL');
  // The long form of the test also kills at any moment.
  if (isExhaustive()) await run(command('killed'), { killAfterMs: rng.uniform() * duration });
  const last = join(folder, 'killed', 'checkpoints', `00000${ITERATIONS}`);
  const beforeTest = await run(command('killed'), { killWhen: () => existsSync(last) });
  expect(beforeTest.signal).toBe('SIGKILL');
  expect(await run(command('killed'))).toMatchObject({ code: 0 });

  await expectSameBytes('whole', 'killed');
  const played = ITERATIONS * ROLLOUTS + 2 * EVALUATED + 2 * TESTED;
  expect(await recorded('whole')).toBe(played);
  expect(await recorded('killed')).toBeGreaterThan(played);
}, 600_000);
