// Tests AgentEvol on the echo game: it finds more by exploration than its demonstrations show.
import { Rng, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { demonstrationTrajectory, trainingRun, type Metrics } from '../index.js';
import { agentEvol, firstOfEachItem, isSuccess, successfulOf } from './agent-evol.js';
import { EchoGame, maskedTokenIds, terminatorId, tokenizer } from '../../test/echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const options = {
  seed: 1,
  slots: 32,
  rollout: { size: 96 },
  eval: { freq: 4, size: 32 },
  success: { threshold: 0, perItem: 24 },
  batch: { size: 16, accumulationSteps: 1 },
  actor: { lr: 1e-2, epochs: 12, schedule: { warmupSteps: 2, finalShare: 0.1 } },
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [terminatorId] },
};

test('demonstrations of one colour and its own successes make it play better; each iteration begins at the start', async () => {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0) });
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  await policy.createOptimizer(adam);
  const start = await policy.copyParameters();
  const demonstration = { opening: 'show red\n', turns: [{ action: 'red', reply: ' yes\n', reward: 0 }] };
  const episodes = [0, 1].map((episode) =>
    demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode }),
  );
  const logged: Metrics[] = [];
  let restored = 0;
  await agentEvol.train(
    trainingRun({
      policy,
      makeEnv: () => new EchoGame(),
      dataset: { kind: 'episodes', episodes },
      async restoreStart() {
        restored++;
        await policy.restoreParameters(start);
        await policy.createOptimizer(adam);
      },
      hooks: { log: async (_, metrics) => void logged.push(metrics) },
    }),
    options,
  );
  expect(restored).toBe(4);
  expect(logged[0]['explore/success_rate']).toBeLessThan(0.6);
  expect(logged.at(-1)!['eval/episodic_return']).toBeGreaterThan(-0.3);
  expect(logged.every((metrics) => metrics['explore/kept'] <= 72)).toBe(true); // three colours, 24 of each
  await policy.release();
});

const episode = (opening: string, reward: number, won?: boolean) =>
  ({
    transitions: [{ observation: opening, action: '', reward }],
    infos: [won === undefined ? {} : { won }],
  }) as unknown as Trajectory;

test('a success is what the environment says, or a return that is large enough', () => {
  expect(isSuccess(episode('a', 0, true), { success: { threshold: null } })).toBe(true);
  expect(isSuccess(episode('a', 9, false), { success: { threshold: null } })).toBe(false);
  expect(isSuccess(episode('a', 0.5), { success: { threshold: 0.5 } })).toBe(true);
  expect(() => isSuccess(episode('a', 1), { success: { threshold: null } })).toThrow(
    'give algorithm.success.threshold=X',
  );
});

test('demonstrations that failed are not learned; those with an unknown result are', () => {
  const [won, lost, unknown] = [episode('a', 0, true), episode('a', 1, false), episode('a', NaN)];
  const dataset = { kind: 'episodes', episodes: [won, lost, unknown] } as const;
  expect(successfulOf(dataset, { success: { threshold: null } })).toEqual({
    kind: 'episodes',
    episodes: [won, unknown],
  });
  expect(successfulOf(dataset, { success: { threshold: 1 } })).toEqual({ kind: 'episodes', episodes: [lost, unknown] });
});

test('of each item the first successes are kept', () => {
  const all = [episode('a', 1), episode('b', 2), episode('a', 3), episode('a', 4)];
  expect(firstOfEachItem(all, 2)).toEqual([all[0], all[1], all[2]]);
});
