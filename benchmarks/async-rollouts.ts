// Asynchronous rollouts on this machine: 64 environments that answer after 5 to 200 ms, and embedded ones that answer at once. How long
// the learner waits, and how many episodes it learns from in a second, in each mode of docs/asynchronous.md.
//
//     node --conditions=source --import tsx benchmarks/async-rollouts.ts [iterations] [FILE] [slow | embedded]
//
// The policy and the learner have one thread each. A line for each run goes to FILE, for benchmarks/async-simulation.ts. The load average
// is printed: waiting takes no CPU, so the first table says something on a machine with other work, the second hardly.
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AsynchronousRollouts,
  Collector,
  findAlgorithm,
  LockStepRollouts,
  policyPlayer,
  textDialogues,
  trainingRun,
  type OpenPlayer,
} from '@bowyer/algorithms';
import { mean, Rng, type Trajectory } from '@bowyer/core';
import { makeEnv, type Env } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel, wordLevelTokenizer } from '@bowyer/models';
import type { Figures, Setup } from './async-simulation.js';

const SLOTS = 64;
const ROLLOUT = 64;
const WARM_UP = 2;
const tokenizer = wordLevelTokenizer(['a dog cat ? yes no go left right up down 0 1 2 3\n']);
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 4, terminatorIds: tokenizer.encode('\n') };
const play = { seed: 1, slots: SLOTS, sampling, rolloutSize: ROLLOUT };
const options = {
  ...play,
  ...{ horizon: null, evalFreq: 1e6, evalSize: 1, evalDecoding: 'sample', saveFreq: 1e6, groupSize: 1, samplingRounds: 1 },
  ...{ invalidPenalty: 0, truncatedEpisodes: 'learn', scoreTerminator: true, maxGradNorm: 1, innerEpochs: 2 },
  ...{ sequence: 'episode', minibatchSize: 16, maxBatchTokens: null, lossAggregation: 'token_mean', lossDivisor: null },
  ...{ ratio: 'token', clipLow: 0.2, clipHigh: 0.28, dualClip: null, oldLogprobs: 'sampled', klCoefficient: 0, klIn: 'loss' },
  ...{ klEstimator: 'k3', entropyCoefficient: 0, targetKl: null, lmLr: 1e-4, lmLrFinalShare: 1, gamma: 1, baseline: 'none' },
  lmSchedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 },
};

const model = (device: Device) =>
  LanguageModel.create({
    ...{ device, tokenizer, rng: new Rng(3) },
    config: { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 32, n_positions: 128 },
  });

/** An environment whose every turn takes as long as one over a network. */
function environment([least, most]: readonly [number, number], rng: Rng): Env {
  const env = makeEnv('maze', { maxSteps: 8 });
  if (most === 0) return env;
  const step = async (action: string) => {
    await sleep(least + (most - least) * rng.uniform());
    return env.step(action);
  };
  return { reset: (settings) => env.reset(settings), step, close: () => env.close() };
}

/** Milliseconds of each call of a player, and of how many turns it was. */
function timed(open: OpenPlayer, calls: [number, number][]): OpenPlayer {
  return async (given) => {
    const player = await open(given);
    return {
      act: async (requests) => {
        const start = performance.now();
        const decisions = await player.act(requests);
        calls.push([requests.length, performance.now() - start]);
        return decisions;
      },
      forget: () => player.forget?.(),
      close: () => player.close(),
    };
  };
}

type Mode = readonly [Setup['mode'], number];

async function measure([mode, maxStaleness]: Mode, latency: readonly [number, number], iterations: number) {
  const devices = [await openDevice({ device: 'cpu', threads: 1 }), await openDevice({ device: 'cpu', threads: 1 })];
  const [policy, copy] = await Promise.all(devices.map(model));
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const calls: [number, number][] = [];
  const playerOf = (own: LanguageModel) =>
    timed(policyPlayer({ policy: own, dialogues: textDialogues(tokenizer) }, play), calls);
  const collector = new Collector(policy, copy, playerOf(copy), 0);
  const settings = { iterations, maxStaleness, firstIteration: 0 };
  const lockStep = mode === 'lock_step' ? new LockStepRollouts(collector, settings) : null;
  const asynchronous = mode === 'asynchronous' ? new AsynchronousRollouts(collector, settings) : null;
  const rng = new Rng(2);
  const seen = { waits: [] as number[], updates: [] as number[], idle: [] as number[], staleness: [] as number[], queue: [] as number[], turns: [] as number[] }; // prettier-ignore
  let [ended, taken, counted] = [performance.now(), 0, 0];
  const run = trainingRun({
    policy,
    makeEnv: () => environment(latency, rng),
    rollouts: lockStep ?? asynchronous ?? undefined,
    openRollouts: mode === 'synchronous' ? playerOf(policy) : undefined,
    onRollout: async (rollout: readonly Trajectory[], iteration) => {
      taken = performance.now();
      seen.turns.push(...rollout.map(({ transitions }) => transitions.length));
      if (iteration === WARM_UP) calls.length = 0;
      if (iteration < WARM_UP) return;
      counted += rollout.length;
      seen.waits.push(taken - ended);
      const metrics = (asynchronous ?? lockStep)?.takeMetrics() ?? {};
      if (lockStep) seen.idle.push(lockStep.takeSeconds()['collector idle'] * 1000);
      if (asynchronous) seen.idle.push(metrics['rollout/collector_idle_share'] * (taken - ended));
      seen.staleness.push(metrics['rollout/staleness_mean'] ?? 0);
      seen.queue.push(metrics['rollout/queue_episodes'] ?? 0);
    },
    hooks: {
      log: async (iteration) => {
        const now = performance.now();
        if (iteration >= WARM_UP) seen.updates.push(now - taken);
        ended = now;
      },
    },
  });
  await findAlgorithm('reinforce_pp')!.train(run, { ...options, iterations } as never);
  await (lockStep ?? asynchronous)?.close();
  for (const device of devices) await device.close();
  const total = sum(seen.waits) + sum(seen.updates);
  const share = asynchronous
    ? mean(seen.idle.map((idle, i) => idle / seen.waits[i]))
    : lockStep
      ? sum(seen.idle) / total
      : sum(seen.updates) / total;
  const measured: Figures = {
    ...{ episodesPerSecond: counted / (total / 1000), learnerIdle: sum(seen.waits) / total, collectorIdle: share },
    ...{ staleness: mean(seen.staleness), queue: mean(seen.queue) },
  };
  const setup: Setup = {
    ...{ mode, maxStaleness, slots: SLOTS, rolloutSize: ROLLOUT, iterations, latency, turns: seen.turns },
    ...{ call: line(calls), update: mean(seen.updates) },
  };
  return { name: `${mode}${mode === 'synchronous' ? '' : ` ${maxStaleness}`}`, setup, measured };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Least squares of milliseconds over turns; never below zero. */
function line(calls: readonly [number, number][]): Setup['call'] {
  const [n, ms] = [mean(calls.map(([turns]) => turns)), mean(calls.map(([, time]) => time))];
  const spread = sum(calls.map(([turns]) => (turns - n) ** 2));
  const slope = spread === 0 ? 0 : sum(calls.map(([turns, time]) => (turns - n) * (time - ms))) / spread;
  const perTurn = Math.min(Math.max(0, slope), ms / n);
  return { fixed: ms - perTurn * n, perTurn };
}

const [iterations = '10', file, only] = process.argv.slice(2);
const modes: Mode[] = [['synchronous', 0], ['lock_step', 1], ['asynchronous', 1], ['asynchronous', 2]]; // prettier-ignore
for (const latency of [[5, 200], [0, 0]] as const) { // prettier-ignore
  if (only !== undefined && (only === 'slow') !== latency[1] > 0) continue;
  console.log(`\n${SLOTS} environments, ${latency.join(' to ')} ms a turn, ${ROLLOUT} episodes an iteration, 8 turns each`);
  console.log('| | episodes/s | learner idle | collector idle | staleness | queue | call of n turns, ms | update, s | load |\n|---|---|---|---|---|---|---|---|---|'); // prettier-ignore
  for (const mode of modes) {
    const result = await measure(mode, latency, Number(iterations));
    const { name, measured, setup } = result;
    const { episodesPerSecond, learnerIdle, collectorIdle, staleness, queue } = measured;
    console.log(
      `| ${name} | ${episodesPerSecond.toFixed(1)} | ${(100 * learnerIdle).toFixed(0)} % | ${(100 * collectorIdle).toFixed(0)} % | ${staleness.toFixed(2)} | ${queue.toFixed(0)} | ` +
        `${setup.call.fixed.toFixed(0)} + ${setup.call.perTurn.toFixed(1)} n | ${(setup.update / 1000).toFixed(2)} | ${loadavg()[0].toFixed(1)} |`,
    );
    if (file) appendFileSync(file, `${JSON.stringify({ ...result, name: `${latency[1]} ms, ${name}` })}\n`);
  }
}
