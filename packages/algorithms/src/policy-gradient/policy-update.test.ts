// Tests the clipped update through a tiny real model against slower ways to compute the same step.
import { jest } from '@jest/globals';
import { Rng, withDefaults, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import {
  collect,
  grpo,
  packTurns,
  policyPlayer,
  textDialogues,
  trainingRun,
  updatePolicy,
  type AdvantageTurn,
  type PolicyUpdateOptions,
} from '../index.js';
import { policyUpdateProblems } from './policy-loss.js';
import { EchoGame, maskedTokenIds, terminatorId, tokenizer } from '../../test/echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });

const options = withDefaults(grpo.options, {
  actor: { minibatchSize: 100, maxGradNorm: 1e9 },
  loss: { aggregation: 'token_mean' },
  kl: { coefficient: 0 },
});
type Changes = { [Group in 'actor' | 'loss' | 'kl']?: Partial<(typeof options)[Group]> };
const changed = ({ actor, loss, kl }: Changes): PolicyUpdateOptions => ({
  actor: { ...options.actor, ...actor },
  loss: { ...options.loss, ...loss },
  kl: { ...options.kl, ...kl },
});
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] };
const hooks = { progress: () => {} };
const lr = 0.5;

const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 48 };
const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(1) });
await policy.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
const run = trainingRun({ policy, makeEnv: () => new EchoGame() });
const play = { seed: 3, slots: 8, sampling, rollout: { size: 8 } };
const rollout = await collect(run, policyPlayer(run, play), 0, play, { groupSize: 4 });
const start = await policy.copyParameters();
afterAll(() => device.close());
beforeEach(() => policy.restoreParameters(start));

class ListedGame extends EchoGame {
  constructor(private readonly validActions: readonly string[]) {
    super();
  }

  override async reset(options: { seed?: number } = {}) {
    const { observation } = await super.reset(options);
    return { observation, info: { validActions: this.validActions } };
  }

  override async step(action: string) {
    const result = await super.step(action);
    return { ...result, info: { ...result.info, validActions: this.validActions } };
  }
}

/** Lists turns with the advantages +1, −1, +1, … */
const turnsOf = (trajectories: readonly Trajectory[] = rollout): AdvantageTurn[] =>
  trajectories
    .flatMap((trajectory) => trajectory.transitions.map((_, turn) => ({ trajectory, turn })))
    .map((item, i) => ({ ...item, advantages: i % 2 === 0 ? 1 : -1 }));

const update = (changes: Changes = {}, turns = turnsOf()) =>
  updatePolicy({ policy, hooks }, turns, { rng: new Rng(7), lr }, changed(changes));

async function distance(other: typeof start): Promise<number> {
  const now = await policy.copyParameters();
  return Math.max(
    ...Object.keys(now).flatMap((name) => {
      const [one, two] = [now[name].data, other[name].data] as [Float32Array, Float32Array];
      return Array.from(one, (value, i) => Math.abs(value - two[i]));
    }),
  );
}

/** One word: the test's vocabulary is small. */
test('a constrained choice is learned from as it was made: its ratio is 1 before the first step', async () => {
  const valid = ['red', 'blue'];
  const makeEnv = () => new ListedGame(valid);
  const dialogues = { ...textDialogues(tokenizer), actionChoice: 'constrained' as const };
  const run = { ...trainingRun({ policy, makeEnv }), dialogues };
  const play = { seed: 3, slots: 8, sampling, rollout: { size: 8 } };
  const chosen = await collect(run, policyPlayer(run, play), 0, play);
  expect(new Set(chosen.flatMap(({ transitions }) => transitions.map(({ action }) => action)))).toEqual(new Set(valid));
  const metrics = await update({}, turnsOf(chosen));
  expect(metrics['actor/kl_sampling']).toBeLessThan(1e-9);
  expect(metrics['actor/ratio_max']).toBeCloseTo(1, 5);
  expect(await distance(start)).toBeGreaterThan(1e-3);

  await policy.restoreParameters(start);
  const unrestricted = structuredClone(chosen);
  for (const utterance of unrestricted.flatMap(({ segments }) => segments.flatMap(({ utterances }) => utterances)))
    delete utterance.tokenMasks;
  expect((await update({}, turnsOf(unrestricted)))['actor/kl_sampling']).toBeGreaterThan(0.1);
});

test('with one step it is the policy gradient: L = −mean A log π', async () => {
  const metrics = await update();
  expect(metrics).toMatchObject({ 'actor/clip_fraction': 0, 'actor/steps': 1 });
  expect(metrics['actor/kl_sampling']).toBeLessThan(1e-9);
  expect(metrics['actor/ratio_max']).toBeCloseTo(1, 5);
  const updated = await policy.copyParameters();
  expect(await distance(start)).toBeGreaterThan(1e-3);

  await policy.restoreParameters(start);
  const batch = packTurns(turnsOf(), options.actor);
  const tokens = batch.lengths.reduce((sum, length) => sum + length, 0);
  let turn = 0;
  let left = batch.lengths[0];
  for (const { weights } of batch.examples)
    weights.forEach((weight, t) => {
      if (weight === 0) return;
      while (left === 0) left = batch.lengths[++turn];
      weights[t] = (batch.turns[turn].advantages as number) / tokens;
      left--;
    });
  await policy.accumulateGradients(batch.examples);
  await policy.optimizer.step({ lr, maxGradNorm: 1e9 });
  expect(await distance(updated)).toBeLessThan(1e-5);
});

test.each<[string, Changes, Changes]>([
  ['split into small batches', {}, { actor: { maxBatchTokens: 8 } }],
  ['with recomputed log-probabilities', {}, { loss: { oldLogprobs: 'recomputed' } }],
  ['with ratios of turns, all 1', {}, { loss: { ratio: 'turn' } }],
  ['drawn turn by turn, mean over tokens', {}, { actor: { sequence: 'turn', minibatchSize: 1000 } }],
])('the same step %s', async (_, one, other) => {
  await update(one);
  const updated = await policy.copyParameters();
  await policy.restoreParameters(start);
  await update(other);
  expect(await distance(updated)).toBeLessThan(1e-5);
});

test('KL to the reference is 0 at the start and keeps later steps near it; the entropy bonus raises entropy', async () => {
  const reference = await policy.freeze();
  const step = { rng: new Rng(7), lr: 0.1 };
  const tenEpochs = (coefficient: number) => changed({ actor: { epochs: 10 }, kl: { coefficient } });
  const free = await updatePolicy({ policy, hooks, reference }, turnsOf(), step, tenEpochs(1e-9));
  await policy.restoreParameters(start);
  const tied = await updatePolicy({ policy, hooks, reference }, turnsOf(), step, tenEpochs(3));
  expect(tied['actor/kl_reference']).toBeLessThan(free['actor/kl_reference']);
  expect(free['actor/kl_reference']).toBeGreaterThan(0);
  await reference.release();

  await policy.restoreParameters(start);
  const still = turnsOf().map((turn) => ({ ...turn, advantages: 0 }));
  await update({ loss: { entropyCoefficient: 1 }, actor: { epochs: 3 } }, still);
  const measured = { loss: { entropyCoefficient: 1e-9 } };
  const { 'actor/entropy': raised } = await update(measured, still);
  await policy.restoreParameters(start);
  expect(raised).toBeGreaterThan((await update(measured, still))['actor/entropy']);
});

test.each(['token_mean', 'sequence_mean_token_mean', 'sequence_mean_token_sum'] as const)(
  'turns without an advantage are not computed, and count in the mean all the same: %s',
  async (aggregation) => {
    const turns = turnsOf().map((turn) => (turn.trajectory.episode % 2 === 0 ? { ...turn, advantages: 0 } : turn));
    const tokensOf = async (changes: Changes) => {
      const computed = jest.spyOn(policy, 'accumulateLogprobGradients');
      await update({ ...changes, loss: { aggregation } }, turns);
      const tokens = computed.mock.calls.flatMap(([examples]) => examples.map(({ ids }) => ids.length));
      computed.mockRestore();
      return tokens.reduce((sum, length) => sum + length, 0);
    };
    const all = await tokensOf({ actor: { targetKl: 1e9 } }); // the KL is computed over all turns
    const updated = await policy.copyParameters();
    await policy.restoreParameters(start);
    expect(await tokensOf({})).toBeLessThan(0.6 * all);
    expect(await distance(updated)).toBeLessThan(1e-6);
    expect(await distance(start)).toBeGreaterThan(1e-3);
  },
);

test('an update in which no turn has an advantage computes nothing and leaves the policy as it is', async () => {
  const still = turnsOf().map((turn) => ({ ...turn, advantages: 0 }));
  const computed = jest.spyOn(policy, 'accumulateLogprobGradients');
  const metrics = await update({}, still);
  expect(computed).not.toHaveBeenCalled();
  computed.mockRestore();
  expect(metrics).toMatchObject({ 'actor/steps': 1, 'optim/policy_gradient_norm': 0 });
  expect(metrics).not.toHaveProperty('actor/entropy');
  expect(await distance(start)).toBe(0);
});

test('the update ends before a step whose minibatch is too far from the sampling policy', async () => {
  await update();
  const once = await policy.copyParameters();
  await policy.restoreParameters(start);
  const metrics = await update({ actor: { epochs: 5, targetKl: 1e-7 } });
  expect(metrics['actor/steps']).toBe(1);
  expect(await distance(once)).toBe(0);
  // The refused minibatch leaves nothing for the next update.
  await policy.restoreParameters(start);
  await update();
  expect(await distance(once)).toBe(0);
});

test('a divisor belongs to loss.aggregation=constant', () => {
  expect(policyUpdateProblems(changed({ loss: { aggregation: 'constant' } }))).toHaveLength(1);
  expect(policyUpdateProblems(changed({ loss: { divisor: 4 } }))).toHaveLength(1);
  expect(policyUpdateProblems(changed({ loss: { aggregation: 'constant', divisor: 4 } }))).toEqual([]);
});

/** Measures the KL of an update in nats per episode, over its whole rollout. */
async function measuredKl(): Promise<number> {
  const batch = packTurns(turnsOf(), options.actor);
  const rows = await policy.logprobs(batch.examples);
  const updated = batch.examples.flatMap(({ weights }, e) => [...rows[e]].filter((_, t) => weights[t] !== 0));
  const old = batch.turns.flatMap(({ trajectory, turn }) =>
    trajectory.segments.flatMap(({ utterances }) => utterances.find((one) => one.turn === turn)?.logprobs ?? []),
  );
  const sum = updated.reduce((total, logprob, t) => total + Math.exp(logprob - old[t]) - (logprob - old[t]) - 1, 0);
  return sum / rollout.length;
}

test('with actor.update_kl the figures say what the update changed, in nats per episode', async () => {
  const found = await updatePolicy(
    { policy, hooks },
    turnsOf(),
    { rng: new Rng(2), lr: 0.1 },
    changed({ actor: { updateKl: 10 } }),
  );
  expect(found['actor/update_undone']).toBe(0);
  expect(found['actor/update_kl']).toBeGreaterThan(0);
  expect(found['actor/update_kl']).toBeCloseTo(await measuredKl(), 5); // with 8 episodes, all of them are measured
});

test('an update far beyond its bound is undone to the bit', async () => {
  const found = await updatePolicy(
    { policy, hooks },
    turnsOf(),
    { rng: new Rng(2), lr: 5 },
    changed({ actor: { updateKl: 1e-3 } }),
  );
  expect(found).toMatchObject({ 'actor/update_undone': 1 });
  expect(found['actor/update_kl']).toBeGreaterThan(4e-3);
  expect(await policy.copyParameters()).toEqual(start);
});

test('passes end where the KL of the newest episodes is beyond the bound', async () => {
  const steps = async (updateKl: number | null) => {
    await policy.restoreParameters(start);
    const found = await updatePolicy(
      { policy, hooks },
      twice(),
      { rng: new Rng(2), lr: 0.05 },
      changed({ actor: { epochs: 40, minibatchSize: 8, updateKl } }),
    );
    return found['actor/steps'];
  };
  expect(await steps(null)).toBe(80);
  expect(await steps(1e9)).toBe(80);
  const bounded = await steps(0.01);
  expect(bounded).toBeGreaterThan(1);
  expect(bounded).toBeLessThan(80);
});

/** Lists the turns of the rollout twice: 16 episodes, enough for a mean. */
const twice = () => turnsOf([...rollout, ...rollout.map((trajectory) => ({ ...trajectory }))]);
