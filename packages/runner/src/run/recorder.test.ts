import { jest } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckpointStore } from '@bowyer/checkpoints';
import type { Trajectory } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { Recorder } from './recorder.js';
import { RunFiles } from './run-files.js';

let directory: string;
let recorder: Recorder;
let printed: string;
let saved: string[];

/**
 * Makes the recorder of a run in a folder.
 *
 * @param iterations null: the length of the run is counted in optimizer steps
 */
async function recorderOf(
  folder: string,
  iterations: number | null,
  limits: ConstructorParameters<typeof Recorder>[2] = { saveMinutes: null },
  report?: (event: Record<string, unknown>) => void,
): Promise<Recorder> {
  const saveable = {
    saveState: (into: string) => writeFile(join(into, 'state'), 'tensors'),
    saveAgent: async (into: string) => void saved.push(into),
  };
  const output = {
    files: await RunFiles.open(folder, {}),
    checkpoints: new CheckpointStore(join(folder, 'checkpoints')),
    saveable,
    logger: { log: () => Promise.resolve() },
  };
  const start = { iterations, firstIteration: 0, best: null, state: { clip: { policy: 0.5 } } };
  const log = (message: string) => void (printed += message);
  return new Recorder(output, start, limits, { log, progress: { write: () => true, report } });
}

beforeEach(async () => {
  [directory, printed, saved] = [newFolder(), '', []];
  recorder = await recorderOf(directory, 4);
});

test('only a better score replaces the best policy', async () => {
  await recorder.keepBest(0, -7);
  await recorder.keepBest(1, -8);
  await recorder.keepBest(2, -3);
  expect(saved).toHaveLength(2);
  expect(recorder.best).toEqual({ iteration: 3, score: -3 });
});

test('a checkpoint remembers the lengths of the files and the best score', async () => {
  await recorder.keepBest(0, -7);
  await recorder.log(0, { 'rollout/episodic_return': -7 }, []);
  await recorder.checkpoint(1);
  const progress = JSON.parse(await readFile(join(directory, 'checkpoints', '000001', 'progress.json'), 'utf8'));
  const { length } = await readFile(join(directory, 'metrics.jsonl'));
  expect(progress).toMatchObject({
    nextIteration: 1,
    fileLengths: { 'metrics.jsonl': length },
    best: { iteration: 1, score: -7 },
    state: { clip: { policy: 0.5 } },
  });
});

test('the time of a checkpoint does not count in the phase that it interrupts', async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  recorder.progress('imitation', 1, 3);
  await recorder.checkpoint(1);
  await recorder.log(0, {}, []);
  expect(JSON.parse(await readFile(join(directory, 'timings.jsonl'), 'utf8')).imitation).toBeGreaterThan(0.015);
});

test('an evaluation among optimizer steps counts its own episodes', async () => {
  const events: Record<string, unknown>[] = [];
  const imitating = await recorderOf(directory, null, undefined, (event) => void events.push(event));
  jest.useFakeTimers();
  try {
    for (const [phase, done, total] of [
      ['eval', 1, 45],
      ['eval', 45, 45],
      ['imitation', 1, 90],
      ['imitation', 2, 90],
      ['eval', 1, 45],
      ['eval', 45, 45],
      ['imitation', 3, 90],
    ] as const) {
      imitating.progress(phase, done, total);
      jest.advanceTimersByTime(20_000);
    }
  } finally {
    jest.useRealTimers();
  }
  expect(events.map(({ label, done, total }) => [label, done, total])).toEqual([
    ['eval', 45, 45],
    ['imitation', 2, 90],
    ['eval', 45, 45],
    ['imitation', 3, 90],
  ]);
});

test('an evaluation is printed as a line', async () => {
  const metrics = {
    'rollout/episodic_return': -7,
    'eval/episodic_return': -6.5,
    'eval/episodic_return_standard_error': 0.2,
  };
  await recorder.log(0, metrics, []);
  expect(printed).toBe('evaluation after iteration 1: return -6.50 ± 0.20');
});

test('the guard stops the run after logging the metric that exceeded its bound', async () => {
  const guard = { minEntropy: 0.5, maxInvalidShare: null, maxKl: null };
  const guarded = await recorderOf(directory, 4, { saveMinutes: null, guard });
  await guarded.log(0, { 'rollout/utterance_entropy': 0.6 });
  expect(guarded).toMatchObject({ stopRequested: false, stoppedByGuard: null });
  await guarded.log(1, { 'rollout/utterance_entropy': 0.4 });
  const reason = 'after iteration 2: rollout/utterance_entropy is 0.4, beyond guard.min_entropy=0.5';
  expect(guarded).toMatchObject({ stopRequested: true, stoppedByGuard: reason, iteration: 2 });
  expect(printed).toBe(`stopped by the guard ${reason}`);
  expect(await RunFiles.read(directory)).toMatchObject({ metrics: [{ iteration: 1 }, { iteration: 2 }] });
});

test('a metric that is not finite stops the run with its name and a remedy', async () => {
  await expect(recorder.log(2, { 'losses/q1': NaN }, [])).rejects.toThrow(
    "metric 'losses/q1' became NaN in iteration 3; last good state: no checkpoint yet\n" +
      '  a smaller algorithm.actor.lr or algorithm.critic.lr, or a larger algorithm.actor.warmup_iterations, usually prevents this',
  );
});

test('if rewards are the reason for a metric that is not finite, the remedy is to scale them', async () => {
  const played = (episode: number, reward: number) =>
    ({ episode, transitions: [{ reward: 1 }, { reward }] }) as unknown as Trajectory;
  await expect(
    recorder.log(2, { 'rollout/episodic_return_standard_error': Infinity }, [played(4, 2), played(5, -1e300)]),
  ).rejects.toThrow(/a reward of episode 5 is -1e\+300: scale rewards to a usual size, such as from -1 to 1$/);
});

test('a checkpoint is due after as many epochs as save_freq says, fractions too', async () => {
  const dueAt = async (between: number | null, saveMinutes: number | null = null) => {
    const limits = { saveMinutes, saveEpochs: { between, all: 3 } };
    const other = await recorderOf(join(directory, String(between)), null, limits);
    const due: number[] = [];
    for (let step = 1; step <= 12; step++) {
      other.progress('imitation', step, 12); // four steps in each epoch
      if (other.checkpointDue) due.push(step);
      other.progress('eval', 4, 4);
    }
    return due;
  };
  expect(await dueAt(1)).toEqual([4, 8, 12]);
  expect(await dueAt(0.5)).toEqual([2, 4, 6, 8, 10, 12]);
  expect(await dueAt(2)).toEqual([8]);
  expect(await dueAt(null)).toEqual([]);
  expect(await dueAt(0.01, 0)).toHaveLength(12);
});
