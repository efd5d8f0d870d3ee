// Tests PPO: its estimates against hand calculation, the positions at which V is computed, and learning on games with a known
// optimum.
import { join } from 'node:path';
import { Rng, spokenIds, withDefaults, type Trajectory } from '@bowyer/core';
import { epsilonGreedy, optimalValues, TabularGame, towerModel } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type TokenExample } from '@bowyer/models';
import { newFolder } from '@bowyer/testing';
import { collect, evaluate, policyPlayer, trainingRun, type Metrics, type TrainingRunParts } from '../index.js';
import { ppo } from './ppo.js';
import { updatePolicy } from './policy-update.js';
import {
  episodeEstimate,
  episodeValues,
  updateCriticNetwork,
  valueOnTrunk,
  type ValuedTurn,
} from './value-function.js';
import { EchoGame, maskedTokenIds, terminatorId, tokenizer } from '../../test/echo-game.js';
import * as exact from '../../test/exact-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

const { adam } = exact;
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] };
const play = { seed: 0, slots: 32, sampling };
const own = {
  iterations: 12,
  rollout: { size: 32 },
  eval: { freq: 1000, size: 100, decoding: 'sample' as const },
  saveFreq: 1000,
  gamma: 1,
  value: { lr: 3e-2, clip: null },
  advantage: { lambda: 0.95 },
  actor: { lr: 1e-2, epochs: 2, minibatchSize: 16, schedule: { finalShare: 0.2 } },
  loss: { entropyCoefficient: 0.01 },
  kl: { coefficient: 0 },
};
const given = { ...play, ...own };
const options = { ...play, ...withDefaults(ppo.options, own) };
type Options = typeof options;

async function echoPolicy(seed: number, valueHead = true): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
  const rng = Rng.forPurpose(seed, 'policy');
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng });
  await policy.createOptimizer(adam);
  if (valueHead) await policy.createValueHead(adam);
  return policy;
}
const echoRun = (policy: LanguageModel, parts: Partial<TrainingRunParts> = {}) =>
  trainingRun({ policy, valueModel: policy, makeEnv: () => new EchoGame(), ...parts });

const withLevel = (level: Options['advantage']['level']): Options => ({
  ...options,
  advantage: { ...options.advantage, level },
});

/** Three turns; the first two turns have two scored tokens each. */
const episode = (rewards: number[], end: 'terminated' | 'truncated') =>
  ({
    transitions: rewards.map((reward, turn) => ({
      reward,
      terminated: false,
      truncated: false,
      ...(turn === rewards.length - 1 && { [end]: true }),
    })),
  }) as unknown as Trajectory;
const single = (...values: number[]) => values.map((value) => Float32Array.of(value));
const expectNumbers = (found: readonly Float32Array[], expected: number[]) =>
  expect(found.flatMap((own) => [...own]).map((x) => Number(x.toFixed(6)))).toEqual(expected);

describe('the estimate, worked by hand', () => {
  const { value } = options;
  const estimating = (level: Options['advantage']['level'], gamma: number, lambda: number) => ({
    gamma,
    value,
    advantage: { level, lambda, whiten: true },
  });
  const perTurn = estimating('turn', 0.99, 0.9);

  test('turns, truncated: V of the next context follows, or with value.bootstrap_on_limit=false nothing', () => {
    const values = { turns: single(0.4, 0.5, 0.7), next: 0.6 };
    const cut = episode([-0.1, -0.1, 0], 'truncated');
    expectNumbers(episodeEstimate(cut, values, [], perTurn).advantages, [-0.006288, -0.001446, -0.106]);
    const ends = { ...perTurn, value: { ...value, bootstrapOnLimit: false } };
    expectNumbers(episodeEstimate(cut, { ...values, next: 0 }, [], ends).advantages, [-0.477854, -0.5307, -0.7]);
  });

  test('tokens: the reward is at the end of the turn, γ and λ do not count what the environment wrote', () => {
    const values = { turns: [Float32Array.of(0.1, 0.2), Float32Array.of(0.3)], next: 0 };
    const level = estimating('token', 0.5, 0.5);
    const { advantages } = episodeEstimate(episode([1, 2], 'terminated'), values, [], level);
    // 1.7; 1 + 0.15 − 0.2 + 0.25 · 1.7 = 1.375; 0.1 − 0.1 + 0.25 · 1.375
    expectNumbers(advantages, [0.34375, 1.375, 1.7]);
    const penalties = [Float32Array.of(0.5, 0), Float32Array.of(0)];
    expectNumbers(
      episodeEstimate(episode([1, 2], 'terminated'), values, penalties, level).advantages,
      [-0.15625, 1.375, 1.7],
    );
    // Within a turn, both penalties are added: 1 − 0.5 + 0.5 · 0.3 − 0.1 + 0.25 · 1.7
    const turns = episodeEstimate(
      episode([1, 2], 'terminated'),
      { turns: single(0.1, 0.3), next: 0 },
      penalties,
      estimating('turn', 0.5, 0.5),
    );
    expectNumbers(turns.advantages, [0.975, 1.7]);
  });

  test('both: RAGEN’s example', () => {
    const values = { turns: [Float32Array.of(0.2, 0.3), Float32Array.of(0.4, 0.6)], next: 0 };
    const level = estimating('bilevel', 0.95, 1);
    const { advantages } = episodeEstimate(episode([0.5, 1], 'terminated'), values, [], level);
    expectNumbers(advantages, [1.25, 1.15, 0.6, 0.4]);
  });
});

describe('V of an episode', () => {
  let policy: LanguageModel;
  let rollout: Trajectory[];
  beforeAll(async () => {
    policy = await echoPolicy(3);
    const run = echoRun(policy);
    await ppo.train(run, { ...given, iterations: 2 }); // V is 0 everywhere before the training
    const all = await collect(run, policyPlayer(run, options), 5, options);
    rollout = all.filter(({ transitions }) => transitions.length === 3);
    expect(rollout.length).toBeGreaterThan(2);
  });
  const dialogues = () => echoRun(policy).dialogues;
  const cutAfter = (trajectory: Trajectory, turns: number): Trajectory => {
    const utterances = trajectory.segments[0].utterances.slice(0, turns);
    const end = utterances.at(-1)!;
    return {
      ...trajectory,
      transitions: trajectory.transitions.slice(0, turns).map((transition, turn) => ({
        ...transition,
        truncated: turn === turns - 1,
      })),
      segments: [{ ids: trajectory.segments[0].ids.slice(0, end.start + spokenIds(end).length), utterances }],
    };
  };

  test.each(['turn', 'token'] as const)(
    '%s: V after a cut is V of the context that would have followed',
    async (gaeLevel) => {
      const level = withLevel(gaeLevel);
      const whole = await episodeValues({ model: policy, dialogues: dialogues() }, rollout, level);
      const cut = await episodeValues(
        { model: policy, dialogues: dialogues() },
        rollout.map((trajectory) => cutAfter(trajectory, 2)),
        level,
      );
      whole.forEach(({ turns, next }, e) => {
        expect(next).toBe(0); // the game had ended
        expect(cut[e].next).toBeCloseTo(turns[2][0], 5);
        expect(cut[e].turns.map((own) => own.length)).toEqual(turns.slice(0, 2).map((own) => own.length));
      });
    },
  );

  test.each(['turn', 'token'] as const)(
    '%s: the environment’s tokens carry no loss, of the policy or of V',
    async (gaeLevel) => {
      const seen: TokenExample[] = [];
      const spy = {
        optimizer: { step: async () => ({ gradientNorm: 0, clipCoefficient: 1 }) },
        valueHead: { optimizer: { step: async () => ({ gradientNorm: 0, clipCoefficient: 1 }) } },
        accumulateLogprobGradients: async (examples: TokenExample[], lossOf: LossOf) => {
          seen.push(...examples);
          const count = (of: 'weights' | 'valueWeights') =>
            new Float32Array(examples.reduce((sum, example) => sum + example[of]!.filter((w) => w !== 0).length, 0));
          return lossOf({ logprobs: count('weights'), entropies: count('weights'), values: count('valueWeights') });
        },
      } as unknown as LanguageModel;
      const values = await episodeValues({ model: policy, dialogues: dialogues() }, rollout, withLevel(gaeLevel));
      const turns = rollout.flatMap((trajectory, e) =>
        trajectory.transitions.map((_, turn): ValuedTurn => ({
          trajectory,
          turn,
          advantages: 1,
          values: values[e].turns[turn],
          returns: values[e].turns[turn],
        })),
      );
      const level = { ...withLevel(gaeLevel), actor: { ...options.actor, epochs: 1 } };
      const hooks = { progress: () => {} };
      await updatePolicy({ policy: spy, hooks }, turns, { rng: new Rng(1), lr: 0 }, level, valueOnTrunk(spy, level));
      await updateCriticNetwork({ critic: spy, hooks }, turns, new Rng(1), level);
      const agentWords = new Set([
        ...tokenizer.encode('red green blue'),
        terminatorId,
        ...['red', 'green', 'blue'].flatMap((word) => tokenizer.encode(word)),
      ]);
      for (const { weights, targets, valueWeights } of seen)
        weights.forEach(
          (weight, t) =>
            weight !== 0 && expect(agentWords.has(targets[t])).toBe(true) && expect(valueWeights).toBeDefined(),
        );
      // V is computed at the first token of the agent in each turn, or at each of its tokens.
      const trunk = seen.filter(({ weights }) => weights.some((weight) => weight !== 0));
      for (const { weights, valueWeights } of trunk)
        valueWeights!.forEach((weight, t) => weight !== 0 && expect(weights[t]).not.toBe(0));
      const asked = seen.reduce(
        (sum, { valueWeights }) => sum + valueWeights!.filter((weight) => weight !== 0).length,
        0,
      );
      expect(asked).toBe(2 * turns.reduce((sum, turn) => sum + turn.values.length, 0)); // for the trunk and for the critic
    },
  );
});
type LossOf = (tokens: { logprobs: Float32Array; entropies: Float32Array; values: Float32Array }) => unknown;

test.each([
  ['turn', 'trunk', 1],
  ['bilevel', 'critic', 2],
] as const)(
  'learns to repeat what it is shown (GAE per %s, V from the %s)',
  async (gaeLevel, valueFunction, tokens) => {
    const policy = await echoPolicy(0, valueFunction === 'trunk');
    const valueModel = valueFunction === 'trunk' ? policy : await echoPolicy(0);
    const run = echoRun(policy, { valueModel });
    const own = { ...given, sampling: { ...sampling, maxNewTokens: tokens } };
    await ppo.train(run, {
      ...own,
      iterations: 22,
      rollout: { size: 32 * tokens },
      value: { ...given.value, function: valueFunction },
      advantage: { ...given.advantage, level: gaeLevel },
    });
    const { metrics } = await evaluate(run, policyPlayer(run, play), own, 'test');
    expect(metrics['test/episodic_return']).toBeGreaterThan(-0.5); // the return is −1.5 or less at the start
  },
);

test.each(['trunk', 'critic'] as const)('%s: stopped and resumed, the metrics are equal to the bit', async (kind) => {
  const settings = {
    ...given,
    iterations: 4,
    rollout: { size: 8 },
    value: { ...given.value, function: kind },
    kl: { coefficient: 0.1, adaptiveTarget: 0.01 },
  };
  const start = await echoPolicy(5, false);
  const models = async () => {
    const policy = await echoPolicy(5, kind === 'trunk');
    return { policy, valueModel: kind === 'trunk' ? policy : await echoPolicy(5) };
  };
  const save = async ({ policy, valueModel }: Awaited<ReturnType<typeof models>>) => {
    for (const model of new Set([policy, valueModel])) {
      await model.optimizer.save(join(folder, `${model === policy ? 'policy' : 'value'}.safetensors`));
      if (model.hasValueHead) await model.valueHead.save(folder);
    }
    return { policy: await policy.copyParameters(), valueModel: await valueModel.copyParameters() };
  };
  const train = async (parts: Partial<TrainingRunParts> & { policy: LanguageModel }, iterations = 4) => {
    const logged: Metrics[] = [];
    const hooks = { log: async (_: number, metrics: Metrics) => void logged.push(metrics) };
    // The run's initial policy, even if the policy resumes.
    const run = echoRun(parts.policy, { ...parts, hooks, openReference: () => start.freeze() });
    await ppo.train(
      {
        ...run,
        hooks: {
          ...run.hooks,
          get stopRequested() {
            return logged.length === iterations;
          },
        },
      },
      settings,
    );
    return logged;
  };
  const whole = await train(await models());
  const first = await models();
  const state = {};
  const before = await train({ ...first, state }, 2);
  const tensors = await save(first);
  const second = await models();
  for (const model of new Set([second.policy, second.valueModel])) {
    const name = model === second.policy ? 'policy' : 'value';
    await model.restoreParameters(name === 'policy' ? tensors.policy : tensors.valueModel);
    await model.optimizer.restore(join(folder, `${name}.safetensors`));
    if (model.hasValueHead) await model.valueHead.restore(folder);
  }
  const after = await train({ ...second, state: JSON.parse(JSON.stringify(state)), firstIteration: 2 });
  expect([...before, ...after]).toEqual(whole);
  expect(whole[0]['rollout/kl_reference']).toBeCloseTo(0, 5);
  expect(whole[3]['actor/kl_coefficient']).not.toBe(0.1);
});

test('comes within 5 % of the optimum of the exact game, from scratch', async () => {
  const policy = await exact.makePolicy(device, 0);
  await policy.createValueHead(adam);
  const run = trainingRun({ policy, valueModel: policy, makeEnv: () => new TabularGame({ maxSteps: exact.maxSteps }) });
  await ppo.train(run, {
    ...given,
    sampling: exact.sampling,
    slots: 64,
    rollout: { size: 64 },
    iterations: 30,
    actor: { ...given.actor, lr: 5e-3 },
  });
  const best = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1, horizon: exact.maxSteps }), 0);
  expect(exact.exactReturn(await exact.tableOf(policy))).toBeGreaterThan(0.95 * exact.exactReturn(best));
});
