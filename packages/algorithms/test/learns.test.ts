// A smoke test: on a game with a known best return, every algorithm reaches this return or comes as close as its rule allows. The
// game needs no planning; exact-learning.test.ts has one that does, and experiments/exact_game has more seeds.
import { Rng } from '@bowyer/core';
import { jest } from '@jest/globals';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder } from '@bowyer/models';
import {
  archer,
  bc,
  chai,
  demonstrationTrajectory,
  evaluate,
  onlineFilteredBc,
  policyPlayer,
  trainingRun,
  type Metrics,
  type OpenPlayer,
  type TrainingRunParts,
} from '../src/index.js';
import { colours, EchoGame, maskedTokenIds, terminatorId, tokenizer } from './echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const seeds = [0];

const play = (seed: number) => ({
  seed,
  slots: 32,
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [terminatorId] },
});
const loop = (seed: number) => ({ ...play(seed), iterations: 30, eval: { freq: 1000 }, saveFreq: 1000 });
const batch = { size: 64, accumulationSteps: 1 };
const critic = { steps: 10, lr: 3e-3, maxGradNorm: 10, vTarget: { action: 'stored' as 'stored' | 'policy' } };
const replay = { capacity: 2000 };
const actor = { steps: 2, lr: 1e-2 };
const ofArcher = (seed: number) => ({
  ...loop(seed),
  rollout: { size: 32 },
  batch,
  critic,
  replay,
  actor: { ...actor, warmupIterations: 5, samples: 'rollout' as 'rollout' | 'replay' },
});

async function makePolicy(seed: number): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
  const policy = await LanguageModel.create({
    device,
    tokenizer,
    maskedTokenIds,
    config,
    rng: Rng.forPurpose(seed, 'policy'),
  });
  await policy.createOptimizer(adam);
  return policy;
}

const makeCritic = (seed: number) =>
  DoubleCritic.create({
    device,
    encoder: new LineEncoder(tokenizer, 16),
    rng: Rng.forPurpose(seed, 'critic'),
    outputBias: -1.5,
    optimizer: adam,
  });

const makeEnv = () => new EchoGame();
const run = (policy: LanguageModel, parts: Partial<TrainingRunParts> = {}) =>
  trainingRun({ policy, makeEnv, ...parts });

async function meanReturn(policy: LanguageModel, seed: number, openPlayer?: OpenPlayer): Promise<number> {
  const open = openPlayer ?? policyPlayer(run(policy), { slots: 32 });
  const { metrics } = await evaluate(
    run(policy),
    open,
    { ...play(seed), eval: { size: 100, decoding: 'sample' } },
    'test',
  );
  return metrics['test/episodic_return'];
}

test.each(seeds)("archer learns with the paper's fresh samples too (seed %i)", async (seed) => {
  const [policy, network] = [await makePolicy(seed), await makeCritic(seed)];
  const given = ofArcher(seed);
  await archer.train(run(policy, { critic: network }), {
    ...given,
    iterations: 16,
    critic: { ...critic, vTarget: { action: 'policy' } },
    actor: { ...given.actor, samples: 'replay' },
  });
  expect(await meanReturn(policy, seed)).toBeGreaterThan(-0.5);
});

test.each(seeds)('chai improves by choosing, its policy unchanged (seed %i)', async (seed) => {
  const [policy, network] = [await makePolicy(seed), await makeCritic(seed)];
  const before = await policy.copyParameters();
  const start = await meanReturn(policy, seed);
  await chai.train(run(policy, { critic: network }), {
    ...loop(seed),
    rollout: { size: 32 },
    batch,
    critic,
    replay,
    iterations: 10,
  });
  const ranked = chai.openPlayer(run(policy, { critic: network }), { slots: 32, numCandidates: 5 });
  expect(await meanReturn(policy, seed, ranked)).toBeGreaterThan(start + 1);
  expect(await policy.copyParameters()).toEqual(before);
});

test.each(seeds)('online filtered BC climbs by imitating its best games (seed %i)', async (seed) => {
  const policy = await makePolicy(seed);
  const start = await meanReturn(policy, seed);
  const logged: Metrics[] = [];
  await onlineFilteredBc.train(run(policy, { hooks: { log: async (_, metrics) => void logged.push(metrics) } }), {
    ...loop(seed),
    rollout: { size: 32 },
    batch,
    actor: { ...actor, warmupIterations: 0 },
    filter: { window: 10, capacity: 2000 },
  });
  // An integer number of the episodes of the window's ten iterations was kept.
  for (const metrics of logged.slice(10)) expect((metrics['filter/kept_share'] * 10 * 32) % 1).toBe(0);
  expect(await meanReturn(policy, seed)).toBeGreaterThan(start + 0.5);
});

test.each<['contexts' | 'episodes', number[]]>([
  ['contexts', [4, 4, 4]],
  ['episodes', [12]],
])('bc with batch.of=%s: contexts of an episode that is read again in every turn', async (batchOf, sizes) => {
  const policy = await makePolicy(0);
  const turns = colours.map((colour) => ({ action: colour, reply: '', nextObservation: `show ${colour}\n` }));
  const episodes = Array.from({ length: 4 }, (_, episode) =>
    demonstrationTrajectory({ opening: 'show red\n', turns }, { tokenizer, terminatorId, episode }),
  );
  const learned = jest.spyOn(policy, 'accumulateGradients');
  await bc.train(run(policy, { dataset: { kind: 'episodes', episodes } }), {
    ...play(0),
    batch: { size: 4, of: batchOf },
  });
  expect(learned.mock.calls.map(([examples]) => examples.length)).toEqual(sizes);
});

test('bc with batch.of=episodes refuses conversations', async () => {
  const training = run(await makePolicy(0), { dataset: { kind: 'conversations', conversations: [] } });
  await expect(bc.train(training, { ...play(0), batch: { of: 'episodes' } })).rejects.toThrow(
    'algorithm.batch.of=episodes: a dataset of conversations has no episodes',
  );
});
