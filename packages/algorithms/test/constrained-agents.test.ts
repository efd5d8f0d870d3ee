// Tests every algorithm that can train an agent on recorded answers with and without a grammar: its loss is equal to one that is
// computed here from log-probabilities over the whole vocabulary.
import type { TObject } from '@sinclair/typebox';
import { Rng, tokenMaskOf, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type TokenExample } from '@bowyer/models';
import { algorithmNames, findAlgorithm, trainingRun, type Metrics } from '../src/index.js';
import { maskedTokenIds, terminatorId, tokenizer } from './echo-game.js';
import { tableCritic } from './exact-game.js';
import { knownOptions } from './known-options.js';

/** The tokens that a plain answer is drawn from: the vocabulary without those that the policy can never write. */
const writable = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => !maskedTokenIds.includes(id),
);
const agents = algorithmNames().filter((name) => {
  const { needs, playsWithCritic } = findAlgorithm(name)!;
  return needs.source === 'episodes' && !needs.expert && !needs.dataset && !playsWithCritic;
});

const device = await openDevice({ device: 'cpu', threads: 1 });
let policy: LanguageModel;
let other: LanguageModel;
let start: Awaited<ReturnType<LanguageModel['copyParameters']>>;
beforeAll(async () => {
  [policy, other] = await Promise.all([modelOf(1), modelOf(2)]);
  await policy.createValueHead({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  start = await policy.copyParameters();
});
afterAll(() => device.close());

async function modelOf(seed: number): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32, initializer_range: 0.5 };
  const model = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(seed) });
  await model.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  return model;
}

/**
 * Makes two groups of two episodes, one with one turn and one with two. Every second token was constrained to two of the writable
 * tokens.
 */
function recorded(isConstrained: boolean): Trajectory[] {
  const rng = new Rng(3);
  return Array.from({ length: 4 }, (_, episode) => {
    const turns = episode % 2 === 0 ? 1 : 2;
    const ids = tokenizer.encode('show red\n');
    const utterances = Array.from({ length: turns }, (__, turn) => {
      const all = [rng.choice(writable.filter((id) => id !== terminatorId)), terminatorId];
      const masks = all.map((id, t) => (t % 2 === episode % 2 ? tokenMaskOf([id, ...others(id, rng)]) : null));
      const utterance = {
        turn,
        start: ids.length,
        ids: all,
        terminated: true,
        logprobs: all.map(() => -0.3 - rng.uniform()),
        ...(isConstrained && { tokenMasks: masks }),
      };
      ids.push(...all, ...tokenizer.encode('green no\n'));
      return utterance;
    });
    const transitions = utterances.map(({ turn }) => ({
      observation: `question ${episode} ${turn}`,
      action: 'red',
      reward: turn === turns - 1 ? [3, 0, 1, 0.5][episode] : 0,
      nextObservation: `question ${episode} ${turn + 1}`,
      terminated: turn === turns - 1,
      truncated: false,
    }));
    const group = Math.floor(episode / 2);
    return {
      episode,
      seed: group,
      group,
      transitions,
      infos: transitions.map(() => ({})),
      segments: [{ ids, utterances }],
    };
  });
}

const others = (id: number, rng: Rng): number[] => [rng.choice(writable.filter((each) => each !== id))];

/**
 * Computes log π of an episode's utterances, [turns][tokens], among the allowed tokens: a softmax over all logits, which is then
 * normalised over the allowed ones.
 */
async function oracleLogprobs(
  model: LanguageModel,
  { segments: [{ ids, utterances }] }: Trajectory,
): Promise<number[][]> {
  const asked: TokenExample[] = writable.map((id) => ({
    ids: Int32Array.from(ids),
    targets: new Int32Array(ids.length).fill(id),
    weights: new Float32Array(ids.length).fill(1),
  }));
  const ofId = new Map((await model.logprobs(asked)).map((row, i) => [writable[i], row]));
  return utterances.map(({ start: first, ids: said, tokenMasks }) =>
    said.map((id, t) => {
      const at = first - 1 + t;
      const mask = tokenMasks?.[t];
      const allowed = mask ? writable.filter((each) => (mask[0] >>> each) & 1) : writable;
      const sum = allowed.reduce((total, each) => total + Math.exp(ofId.get(each)![at]), 0);
      return ofId.get(id)![at] - Math.log(sum);
    }),
  );
}

const shared = {
  seed: 0,
  slots: 4,
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [terminatorId] },
};
/** One update with all turns at once, without a penalty. An algorithm gets those of the options that its schema has. */
const small = {
  iterations: 1,
  saveFreq: 1e6,
  eval: { freq: 1e6, size: 1 },
  rollout: { size: 4, groupSize: 2 },
  gamma: 1,
  batch: { size: 100, accumulationSteps: 1, reduction: 'mean' },
  actor: {
    lr: 1e-3,
    minibatchSize: 100,
    epochs: 1,
    steps: 1,
    sequence: 'episode',
    samples: 'rollout',
    warmupIterations: 0,
  },
  loss: {
    aggregation: 'token_mean',
    clipLow: 0.2,
    clipHigh: 0.3,
    entropyCoefficient: 0,
    beta: 0.7,
    nllCoefficient: 0,
  },
  kl: { coefficient: 0 },
  value: { lr: 1e-30, coefficient: 1e-30 },
  // The noted advantages are those before whitening.
  advantage: { baseline: 'group', historyLength: 1, historyExponent: 1, baseGroup: true, lambda: 0.95, whiten: false },
  teacher: 'the other model',
  critic: { steps: 1, lr: 0.1, maxGradNorm: 10, vTarget: { action: 'stored' } },
  replay: { capacity: 100 },
  clipScope: 'own',
  filter: { quantile: 1, capacity: 100 },
  pairsPerGroup: 1,
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * Computes the loss of an algorithm, the clipped loss if the function has no other one, from log-probabilities by episode, turn
 * and token. Advantages of turns are those that it notes.
 */
function oracleLoss(name: string, played: readonly Trajectory[], now: number[][][], ofOther: number[][][]): number {
  if (name === 'dpo') {
    const gain = (e: number) => sum(now[e].flat()) - sum(ofOther[e].flat());
    // In each group, the first episode has the higher return.
    return mean([0, 2].map((e) => Math.log1p(Math.exp(-0.7 * (gain(e) - gain(e + 1))))));
  }
  // The best episode has only one turn, so that this turn is drawn.
  if (name === 'online_filteredbc') return -sum(now[0][0]);
  const advantageOf = (e: number, turn: number) => played[e].estimates![turn]!.advantage!;
  if (name === 'archer')
    return -mean(now.flatMap((ofTurns, e) => ofTurns.map((tokens, turn) => advantageOf(e, turn) * sum(tokens))));
  return mean(
    now.flatMap((ofTurns, e) =>
      ofTurns.flatMap((tokens, turn) =>
        tokens.map((logprob, t) => {
          const old = played[e].segments[0].utterances[turn].logprobs[t];
          const advantage = name === 'opd' ? ofOther[e][turn][t] - old : advantageOf(e, turn);
          const ratio = Math.exp(logprob - old);
          return -Math.min(ratio * advantage, Math.min(Math.max(ratio, 0.8), 1.3) * advantage);
        }),
      ),
    ),
  );
}

describe.each(agents)('%s', (name) => {
  test.each([
    ['held to a grammar', true],
    ['plain', false],
  ])('answers that were %s: the loss is the oracle’s', async (_, isConstrained) => {
    await policy.restoreParameters(start);
    const played = recorded(isConstrained);
    const [now, ofOther] = await Promise.all(
      [policy, other].map((model) => Promise.all(played.map((trajectory) => oracleLogprobs(model, trajectory)))),
    );
    const logged: Metrics[] = [];
    const run = trainingRun({
      policy,
      valueModel: policy,
      critic: name === 'archer' ? tableCritic(0.2) : null,
      playSet: () => Promise.resolve(played),
      openReference: () => other.freeze(),
      openTeacher: () => other.freeze(),
      hooks: { log: (__, metrics) => Promise.resolve(void logged.push(metrics)) },
    });
    const unit = findAlgorithm(name)!;
    await unit.train(run, { ...shared, ...knownOptions(unit.options as TObject, small) });
    const [metrics] = logged;
    const loss = metrics['losses/policy'] ?? metrics['losses/nll'] ?? metrics['losses/dpo'];
    const expected = oracleLoss(name, played, now, ofOther);
    expect(Math.abs(expected)).toBeGreaterThan(1e-3);
    expect(loss).toBeCloseTo(expected, 5);
  });
});

test('the grammar matters: the two kinds of answers have other log-probabilities', async () => {
  const [masked, plain] = await Promise.all(
    [true, false].map(async (isConstrained) => oracleLogprobs(policy, recorded(isConstrained)[0])),
  );
  expect(Math.abs(sum(masked.flat()) - sum(plain.flat()))).toBeGreaterThan(0.1);
});
