// The cost of logging for the training thread: its CPU time for a step of 1,000 metrics, by the kernel's count for that
// thread (Linux), so that other work on the machine does not change it. The aim is under 1 ms with the run's own files.
//
//     node --conditions=source --import tsx packages/runner/benchmarks/metrics.ts [rounds of 50 steps]
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { WandbServer } from '@bowyer/testing';
import { CheckpointStore } from '@bowyer/checkpoints';
import { withLoggers } from '../src/run/open-loggers.js';
import { Recorder } from '../src/run/recorder.js';
import { RunFiles } from '../src/run/run-files.js';

const rounds = Number(process.argv[2] ?? 11);
const METRICS = 1000;
const STEPS = 50;

/** Milliseconds that the main thread has computed. */
const computed = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const names = Array.from({ length: METRICS }, (_, i) => (i < 20 ? `losses/part_${i}` : `group_${i % 7}/metric_${i}`));
const metricsOf = (step: number) => Object.fromEntries(names.map((name, i) => [name, Math.sin(step * 0.37 + i) * 10]));
const wandb = {
  entity: null,
  project: null,
  runId: null,
  group: null,
  jobType: null,
  notes: null,
  tags: [],
  metrics: [],
  plots: [],
  episodes: 0,
  episodesEvery: 1,
  artifacts: false,
  console: false,
  systemSeconds: 0,
  finishSeconds: 0,
};
/** The sender's requests, as often as at W&B: in batches. */
const server = await WandbServer.start();
Object.assign(process.env, { WANDB_BASE_URL: server.url, WANDB_API_KEY: server.key });
const loggers = {
  'the run’s own files': {},
  'and csv': { csv: { file: 'metrics.csv' } },
  'and tensorboard': { tensorboard: { dir: 'tensorboard', episodes: 0, histograms: false } },
  'and wandb, offline': { wandb: { ...wandb, mode: 'offline' } },
  'and wandb, online': { wandb: { ...wandb, mode: 'online' } },
};

for (const [title, logger] of Object.entries(loggers).filter(([title]) => title.includes(process.argv[3] ?? ''))) {
  const directory = await mkdtemp(join(tmpdir(), 'bowyer-metrics-'));
  const quiet = { log: () => undefined, progress: { write: () => true } };
  const files = await RunFiles.open(directory, {});
  const config = { logger, projectName: 'benchmark', runName: 'metrics' };
  const context = {
    directory,
    config: { typed: {}, decisive: {} },
    log: quiet.log,
    onOutput: () => () => undefined,
    requestStop: () => undefined,
  };
  const saveable = { saveState: async () => undefined, saveAgent: async () => undefined };
  await withLoggers(
    config,
    context,
    0,
    async (runLogger) => {
      const recorder = new Recorder(
        { files, checkpoints: new CheckpointStore(directory), saveable, logger: runLogger },
        { iterations: rounds * STEPS, firstIteration: 0, best: null, state: {} },
        { saveMinutes: null },
        quiet,
      );
      // The count is brought up to date when the thread gives way, so whole rounds are measured, with the figures made before.
      const costs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const figures = Array.from({ length: STEPS }, (_, i) => metricsOf(round * STEPS + i));
        await wait(10);
        const before = computed();
        for (const [i, metrics] of figures.entries()) await recorder.log(round * STEPS + i, metrics);
        costs.push((computed() - before) / STEPS);
      }
      const sorted = costs.toSorted((a, b) => a - b);
      const [least, median] = [sorted[0], sorted[Math.floor(rounds / 2)]];
      console.log(
        `${title.padEnd(20)}  median ${median.toFixed(3)} ms, least ${least.toFixed(3)} ms a step of ${METRICS} metrics`,
      );
    },
    () => ({}),
  );
  await rm(directory, { recursive: true });
}
await server.close();
