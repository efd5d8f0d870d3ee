// GRPO, RLOO, REINFORCE++ and GiGPO on a game whose values are known exactly: the trained policy comes within 5 % of the optimum.
import { Rng } from '@bowyer/core';
import { actionsOf, exactValues, optimalValues, startValue, TabularGame, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel, wordLevelTokenizer } from '@bowyer/models';
import { findAlgorithm, trainingRun, type Metrics } from '../src/index.js';

let device: Device;
beforeAll(async () => (device = await openDevice({ device: 'cpu', threads: 1 })));
afterAll(() => device.close());

const states = Object.keys(towerModel.states);
const actions = actionsOf(towerModel);
const tokenizer = wordLevelTokenizer([...states, ...actions, 'end'].map((word) => `${word}\n`));
const idOf = (word: string) => tokenizer.encode(word)[0];
const terminatorId = idOf('\n');
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => !actions.map(idOf).includes(id),
);

/** Turns are one token: the policy's distribution is one over actions. */
const options = (seed: number) => ({
  ...{
    seed,
    slots: 64,
    iterations: 60,
    rolloutSize: 64,
    evalFreq: 1000,
    evalSize: 1,
    evalDoSample: true,
    saveFreq: 1000,
  },
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [terminatorId] },
  ...{ horizon: null, groupSize: 8, samplingRounds: 1, invalidPenalty: 0, truncatedEpisodes: 'learn' },
  ...{ innerEpochs: 1, sequence: 'episode', minibatchSize: 16, maxBatchTokens: null, lossAggregation: 'token_mean' },
  ...{ lossDivisor: null, ratio: 'token', clipLow: 0.2, clipHigh: 0.28, dualClip: null, oldLogprobs: 'sampled' },
  ...{ klCoefficient: 0, klIn: 'loss', klEstimator: 'k3', entropyCoefficient: 0.01, targetKl: null, maxGradNorm: 1 },
  ...{ scoreTerminator: true, lmLr: 1e-2, lmLrFinalShare: 0.1 },
  lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: null },
  ...{ scaleByStd: true, statistics: 'episode', gamma: 1, stepWeight: 1, baseline: 'none' },
});

async function makePolicy(seed: number): Promise<LanguageModel> {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 8 };
  const rng = Rng.forPurpose(seed, 'policy');
  const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng });
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  return policy;
}

/** The exact value of what the policy does. */
async function valueOf(policy: LanguageModel): Promise<number> {
  const pairs = states.flatMap((state) => actions.map((action) => ({ state, action })));
  const examples = pairs.map(({ state, action }) => {
    const ids = Int32Array.from(tokenizer.encode(`${state}\n`));
    const weights = new Float32Array(ids.length);
    weights[ids.length - 1] = 1;
    return { ids, weights, targets: new Int32Array(ids.length).fill(idOf(action)) };
  });
  const logprobs = await policy.logprobs(examples);
  const table = Object.fromEntries(states.map((state) => [state, {} as Record<string, number>]));
  pairs.forEach(({ state, action }, i) => (table[state][action] = Math.exp(logprobs[i].at(-1)!)));
  return startValue(towerModel, exactValues(towerModel, table, { gamma: 1, horizon: 20 }));
}

const optimum = startValue(towerModel, optimalValues(towerModel, { gamma: 1, horizon: 20 }));

test.each([
  ['grpo', {}],
  ['rloo', {}],
  ['reinforce_pp', {}],
  ['gigpo', {}],
])('%s with %j comes within 5 %% of the optimum', async (name, changes) => {
  for (const seed of [0, 1, 2]) {
    const policy = await makePolicy(seed);
    const start = await valueOf(policy);
    const before = performance.now();
    const curve: number[] = [];
    const log = async (iteration: number, metrics: Metrics) => {
      if (iteration % 10 === 9) curve.push(await valueOf(policy));
    };
    const run = trainingRun({ policy, makeEnv: () => new TabularGame({ maxSteps: 20 }), hooks: { log } });
    await findAlgorithm(name)!.train(run, { ...options(seed), ...changes });
    const value = await valueOf(policy);
    console.log(name, seed, start, value, optimum, curve, performance.now() - before);
  }
});
