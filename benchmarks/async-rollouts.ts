// Asynchronous rollouts on this machine: 64 environments that answer after 5 to 200 ms, 64 sessions on four servers of environments that
// answer as late, and embedded environments that answer at once. How long the learner waits, and how many episodes it learns from in a
// second, in each mode of docs/asynchronous.md.
//
//     node --conditions=source --import tsx benchmarks/async-rollouts.ts [iterations] [FILE] [slow | served | embedded]
//
// The policy and the learner have one thread each. A line for each run goes to FILE, for benchmarks/async-simulation.ts. The load average
// is printed: waiting takes no CPU, so the first table says something on a machine with other work, the second hardly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AsynchronousRollouts,
  Collector,
  LockStepRollouts,
  policyPlayer,
  reinforcePp,
  textDialogues,
  trainingRun,
  type OpenPlayer,
} from '@bowyer/algorithms';
import { mean, Rng, type Trajectory } from '@bowyer/core';
import { agentGymEnv, itemKey, makeEnv, type Env } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { EnvServer } from '@bowyer/serving';
import type { Figures, Setup } from './async-simulation.js';

const SLOTS = 64;
const TURNS = 8;
const SERVERS = 4;
const ROLLOUT = 64;
const WARM_UP = 2;
const tokenizer = wordLevelTokenizer(['a dog cat ? yes no go left right up down 0 1 2 3\n']);
const sampling = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 4,
  terminatorIds: tokenizer.encode('\n'),
};
const play = { seed: 1, slots: SLOTS, sampling, rollout: { size: ROLLOUT } };
const options = {
  ...play,
  actor: { lr: 1e-4, minibatchSize: 64 },
  loss: { clipHigh: 0.28 },
  kl: { coefficient: 0 },
  eval: { freq: 1e6 },
  saveFreq: 1e6,
};
const model = (device: Device) =>
  LanguageModel.create({
    device,
    tokenizer,
    rng: new Rng(3),
    config: { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 128 },
  });

/** An environment whose every turn takes as long as one over a network. */
function environment([least, most]: readonly [number, number], rng: Rng, own: object = {}): Env {
  const env = makeEnv('maze', { maxSteps: TURNS, ...own });
  if (most === 0) return env;
  const step = async (action: string) => {
    await sleep(least + (most - least) * rng.uniform());
    return env.step(action);
  };
  return { reset: (settings) => env.reset(settings), step, close: () => env.close() };
}

/** A process of its own: an environment server whose answers take as long. It ends with its input. */
async function serve(latency: readonly [number, number], seed: number): Promise<void> {
  const rng = new Rng(seed);
  const server = await EnvServer.listen({
    name: 'maze',
    host: '127.0.0.1',
    port: 0,
    maxInstances: 2 * SLOTS,
    idleMs: 600_000,
    makeEnv: () => environment(latency, rng, { observation: 'full', reward: 'agentgym', maxSteps: 1_000_000 }),
    resetOptions: (item) => (item === null ? {} : { [itemKey('maze')]: item }),
  });
  console.log(server.url);
  process.stdin.resume();
  await once(process.stdin, 'close');
  process.exit(0);
}

async function startServers(): Promise<{ urls: string[]; close: () => void }> {
  const children = Array.from({ length: SERVERS }, (_, i) =>
    spawn(process.execPath, [...process.execArgv, process.argv[1], 'serve', String(i)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const urls = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
  return { urls, close: () => children.forEach(({ stdin }) => stdin.end()) };
}

/** The sessions are spread over the servers. */
function sessions(urls: readonly string[]): () => Env {
  let made = 0;
  const options = { actionFormat: 'plain', instructions: false, maxRounds: TURNS, connections: SLOTS } as const;
  return () => agentGymEnv('maze', { ...options, baseUrl: urls[made++ % urls.length] });
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

async function measure(
  [mode, maxStaleness]: Mode,
  { latency, makeEnv }: { latency: readonly [number, number]; makeEnv: () => Env },
  iterations: number,
) {
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
  const seen = {
    waits: [] as number[],
    updates: [] as number[],
    idle: [] as number[],
    staleness: [] as number[],
    queue: [] as number[],
    turns: [] as number[],
  };
  let [ended, taken, counted] = [performance.now(), 0, 0];
  const run = trainingRun({
    policy,
    makeEnv,
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
  await reinforcePp.train(run, { ...options, iterations });
  await (lockStep ?? asynchronous)?.close();
  for (const device of devices) await device.close();
  const total = sum(seen.waits) + sum(seen.updates);
  const share = asynchronous
    ? mean(seen.idle.map((idle, i) => idle / seen.waits[i]))
    : lockStep
      ? sum(seen.idle) / total
      : sum(seen.updates) / total;
  const measured: Figures = {
    episodesPerSecond: counted / (total / 1000),
    learnerIdle: sum(seen.waits) / total,
    collectorIdle: share,
    staleness: mean(seen.staleness),
    queue: mean(seen.queue),
  };
  const setup: Setup = {
    mode,
    maxStaleness,
    slots: SLOTS,
    rolloutSize: ROLLOUT,
    iterations,
    latency,
    turns: seen.turns,
    call: line(calls),
    update: mean(seen.updates),
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

const LATE = [5, 200] as const;
const modes: Mode[] = [
  ['synchronous', 0],
  ['lock_step', 1],
  ['asynchronous', 1],
  ['asynchronous', 2],
];

async function compare(
  name: string,
  latency: readonly [number, number],
  makers: () => () => Env,
  [iterations = '10', file]: string[],
) {
  console.log(
    `\n${SLOTS} ${name}, ${latency.join(' to ')} ms a turn, ${ROLLOUT} episodes an iteration, ${TURNS} turns each`,
  );
  console.log(
    '| | episodes/s | learner idle | collector idle | staleness | queue | call of n turns, ms | update, s | load |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const mode of modes) {
    const result = await measure(mode, { latency, makeEnv: makers() }, Number(iterations));
    const { name: label, measured, setup } = result;
    const { episodesPerSecond, learnerIdle, collectorIdle, staleness, queue } = measured;
    console.log(
      `| ${label} | ${episodesPerSecond.toFixed(1)} | ${(100 * learnerIdle).toFixed(0)} % | ${(100 * collectorIdle).toFixed(0)} % | ${staleness.toFixed(2)} | ${queue.toFixed(0)} | ` +
        `${setup.call.fixed.toFixed(0)} + ${setup.call.perTurn.toFixed(1)} n | ${(setup.update / 1000).toFixed(2)} | ${loadavg()[0].toFixed(1)} |`,
    );
    if (file) appendFileSync(file, `${JSON.stringify({ ...result, name: `${name}, ${latency[1]} ms, ${label}` })}\n`);
  }
}

const [first, ...rest] = process.argv.slice(2);
if (first === 'serve') await serve(LATE, Number(rest[0]));
else {
  const given = [first ?? '10', ...rest];
  const only = given[2];
  const within = (latency: readonly [number, number]) => () => {
    const rng = new Rng(2);
    return () => environment(latency, rng);
  };
  if (only === undefined || only === 'slow') await compare('environments', LATE, within(LATE), given);
  if (only === undefined || only === 'served') {
    const { urls, close } = await startServers();
    await compare(`sessions on ${SERVERS} servers`, LATE, () => sessions(urls), given);
    close();
  }
  if (only === undefined || only === 'embedded') await compare('environments', [0, 0], within([0, 0]), given);
}
