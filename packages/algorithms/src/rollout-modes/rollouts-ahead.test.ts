// Tests rollouts of a copy of the policy while the policy changes: the weights that play them, the episodes, and resumed runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng, type Trajectory } from '@bowyer/core';
import { makeEnv, type Env } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { collect, type PlayContext } from '../rollout/collect.js';
import { policyPlayer } from '../rollout/policy-player.js';
import { textDialogues } from '../rollout/text-dialogue.js';
import { scoreTurns } from '../learning/pack-turns.js';
import { AsynchronousRollouts, type StreamState } from './asynchronous-rollouts.js';
import { Collector, type Weights } from './collector.js';
import { LockStepRollouts } from './lock-step-rollouts.js';

const tokenizer = wordLevelTokenizer(['a dog cat ? yes no go left right up down 0 1 2 3\n']);
const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
const sampling = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 4,
  terminatorIds: tokenizer.encode('\n'),
};
const options = { seed: 1, slots: 3, sampling, rollout: { size: 4 } };
const ITERATIONS = 4;

let devices: Device[] = [];
let [learner, copy]: LanguageModel[] = [];
let versions: Weights[] = [];
beforeAll(async () => {
  devices = [await openDevice({ device: 'cpu', threads: 1 }), await openDevice({ device: 'cpu', threads: 1 })];
  [learner, copy] = await Promise.all(
    devices.map((device) => LanguageModel.create({ device, config, tokenizer, rng: new Rng(3) })),
  );
  versions = await Promise.all(
    Array.from({ length: ITERATIONS }, async (_, i) => {
      const other = await LanguageModel.create({ device: devices[0], config, tokenizer, rng: new Rng(3 + i) });
      return other.copyParameters().finally(() => other.release());
    }),
  );
});
afterAll(() => Promise.all(devices.map((device) => device.close())));

const give = async (policy: LanguageModel, version: number) =>
  policy.restoreParameters(
    Object.fromEntries(
      Object.entries(versions[version]).map(([name, { shape, data }]) => [
        name,
        { shape, data: data.slice() } as never,
      ]),
    ),
  );
const playerOf = (policy: LanguageModel) => policyPlayer({ policy, dialogues: textDialogues(tokenizer) }, options);

async function collectorAt(version: number): Promise<Collector> {
  await give(learner, version);
  await give(copy, version);
  return new Collector(learner, copy, playerOf(copy), version);
}

/** Makes the context of a run. `delay`: the maximum of a turn's milliseconds. */
function contextOf(delay = 0, rollouts?: PlayContext['rollouts']): PlayContext {
  const rng = new Rng(9);
  const slow = (env: Env): Env => ({
    reset: (settings) => env.reset(settings),
    step: async (action) => {
      if (delay > 0) await sleep(rng.uniform() * delay);
      return env.step(action);
    },
    close: () => env.close(),
  });
  return { makeEnv: () => slow(makeEnv('maze', { maxSteps: 3 })), hooks: { progress: () => {} }, rollouts };
}

const unstamped = (rollout: readonly Trajectory[]) =>
  JSON.parse(
    JSON.stringify(rollout, (key, value: unknown) => (key === 'policyVersion' ? undefined : value)),
  ) as unknown;
const utterancesIn = (rollout: readonly Trajectory[]) =>
  rollout.flatMap(({ segments }) => segments.flatMap(({ utterances }) => utterances));

/** Runs a learner, whose updates set the policy's version. */
async function learn(rollouts: PlayContext['rollouts'], { from = 0, to = ITERATIONS, delay = 0, pause = 0 }) {
  const played: Trajectory[][] = [];
  for (let iteration = from; iteration < to; iteration++) {
    await give(learner, iteration);
    played.push(await collect(contextOf(delay, rollouts), playerOf(learner), iteration, options));
    await sleep(pause);
  }
  return played;
}

test.each([0, 2])('lock step, %i behind: rollout k is what version k − s plays', async (maxStaleness) => {
  const settings = { iterations: ITERATIONS, maxStaleness, firstIteration: 0 };
  const source = new LockStepRollouts(await collectorAt(0), settings);
  const played = await learn(source, {});
  await source.close();
  for (const [k, rollout] of played.entries()) {
    const version = Math.max(0, k - maxStaleness);
    await give(learner, version);
    const expected = await collect(contextOf(), playerOf(learner), k, options);
    expect(unstamped(rollout)).toEqual(unstamped(expected));
    expect(new Set(utterancesIn(rollout).map(({ policyVersion }) => policyVersion))).toEqual(new Set([version]));
  }
  // A run that resumes after two iterations continues in the same way.
  const first = new LockStepRollouts(await collectorAt(0), settings);
  await learn(first, { to: 2 });
  const stored = await first.played();
  expect([...stored.keys()]).toEqual([2, 3].slice(0, maxStaleness));
  await first.close();
  const second = new LockStepRollouts(await collectorAt(2), { ...settings, firstIteration: 2 }, stored);
  expect(await learn(second, { from: 2 })).toEqual(played.slice(2));
  await second.close();
});

test('asynchronous: each episode is learned from once, also after a resume; every utterance is by the weights that it names', async () => {
  const settings = { iterations: ITERATIONS, maxStaleness: 2, firstIteration: 0 };
  const first = new AsynchronousRollouts(await collectorAt(0), settings);
  const before = await learn(first, { to: 2, delay: 4, pause: 4 });
  const { state } = first;
  await first.close();
  const stored = JSON.parse(JSON.stringify(state)) as StreamState;
  expect(stored.next).toBeGreaterThanOrEqual(8);
  const second = new AsynchronousRollouts(await collectorAt(2), { ...settings, firstIteration: 2 }, stored);
  const after = await learn(second, { from: 2, delay: 4, pause: 4 });
  expect(second.takeMetrics()).toMatchObject({ 'rollout/queue_episodes': 0 });
  await second.close();

  const played = [...before, ...after];
  expect(played.map((rollout) => rollout.length)).toEqual([4, 4, 4, 4]);
  expect(
    played
      .flat()
      .map(({ episode }) => episode)
      .sort((a, b) => a - b),
  ).toEqual([...Array(16).keys()]);
  const ages = played.flatMap((rollout, k) => utterancesIn(rollout).map(({ policyVersion }) => k - policyVersion!));
  expect(Math.max(...ages)).toBeLessThanOrEqual(2);
  expect(new Set(ages).size).toBeGreaterThan(1);
  for (let version = 0; version < ITERATIONS; version++) {
    await give(learner, version);
    const turns = played
      .flat()
      .flatMap((trajectory) =>
        trajectory.segments.flatMap(({ utterances }) =>
          utterances.flatMap(({ turn, policyVersion, logprobs }) =>
            policyVersion === version ? [{ trajectory, turn, logprobs }] : [],
          ),
        ),
      );
    if (turns.length === 0) continue;
    const scored = await scoreTurns((examples) => learner.logprobs(examples), turns, { scoreTerminator: true });
    turns.forEach(({ logprobs }, i) => scored[i].forEach((own, t) => expect(own).toBeCloseTo(logprobs[t], 4)));
  }
});

test('an error that ends the collector ends the learner with the same reason', async () => {
  const settings = { iterations: ITERATIONS, maxStaleness: 1, firstIteration: 0 };
  const broken = { makeEnv: () => makeEnv('maze', { maxSteps: 3 }), hooks: { progress: () => {} } };
  const failing: PlayContext = {
    ...broken,
    makeEnv: () => Object.assign(broken.makeEnv(), { reset: () => Promise.reject(new Error('no such maze')) }),
  };
  for (const source of [
    new LockStepRollouts(await collectorAt(0), settings),
    new AsynchronousRollouts(await collectorAt(0), settings),
  ]) {
    const taking = collect({ ...failing, rollouts: source }, playerOf(learner), 0, options);
    await expect(taking).rejects.toThrow(/of 4 episodes \(rollout\) failed, .*\n {2}the first: no such maze/);
    await source.close();
  }
});
