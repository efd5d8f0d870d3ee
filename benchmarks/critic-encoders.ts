// Which critic learns the returns of text games: regression on discounted returns of mixed play (experts that stop at a random
// turn and then act at random), explained variance on held-out episodes. Table in packages/algorithms/src/archer/archer.md.
//   nice node --conditions=source --import tsx benchmarks/critic-encoders.ts [coin|cookingworld|webshop [STEPS [CANDIDATE [EPISODES]]]]
import { discountedReturns, Rng } from '@bowyer/core';
import { ContextWriter, environmentInfo, TextWorldExpress, webShopDefaults, webShopDemonstrations } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import {
  DoubleCritic,
  encoderConfigFromJson,
  LineEncoder,
  RecencyEncoder,
  TransformerEncoder,
  type CriticEncoder,
} from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';

interface Row {
  observation: string;
  action: string;
  target: number;
}

const GAMMA = 0.95;
const EPISODES = Number(process.argv[5] ?? 300);
const HELD_OUT = 60;
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

const rowsOf = (turns: readonly { observation: string; action: string; reward: number }[]): Row[] => {
  const returns = discountedReturns(
    turns.map(({ reward }) => reward),
    GAMMA,
  );
  return turns.map(({ observation, action }, i) => ({ observation, action, target: returns[i] }));
};

async function textWorldEpisodes(game: 'coin' | 'cookingworld', params: string, stepLimit: number): Promise<Row[][]> {
  const options = { fold: 'train', params, stepLimit, contentDir: null, showValidActions: false } as const;
  const unit = environmentInfo(game);
  const env = new TextWorldExpress(game, { ...options, backend: 'embedded', baseUrl: null, timeoutMs: 1 });
  const rng = new Rng(1);
  const writer = new ContextWriter(game, { kind: 'dialogue' }, unit.context!({}));
  const episodes: Row[][] = [];
  for (let i = 0; i < EPISODES; i++) {
    let { observation, info } = await env.reset({ seed: 123_456 * (i + 1) });
    let text = writer.begin(observation, info);
    const gold = await env.goldPath();
    const stop = rng.uniform() < 0.4 ? Infinity : rng.integer(0, gold.length);
    const turns: { observation: string; action: string; reward: number }[] = [];
    for (let t = 0, over = false; !over; t++) {
      const valid = info.validActions as string[];
      const action = t < Math.min(stop, gold.length) && valid.includes(gold[t]) ? gold[t] : rng.choice(valid);
      const result = await env.step(action);
      turns.push({ observation: text, action, reward: result.reward });
      ({ observation, info } = result);
      text = writer.follow(action, observation, info);
      over = result.terminated || result.truncated;
    }
    episodes.push(rowsOf(turns));
  }
  return episodes;
}

const sources: Record<string, () => Promise<Row[][]>> = {
  coin: () => textWorldEpisodes('coin', 'numLocations=6', 20),
  cookingworld: () =>
    textWorldEpisodes('cookingworld', 'numLocations=3,includeDoors=1,numDistractorItems=2,numIngredients=2', 24),
  webshop: async () => {
    const options = { ...webShopDefaults, observation: 'page' as const, numGoals: 400 };
    const played = await webShopDemonstrations(options, { episodes: EPISODES, noise: 0.4, seed: 0 });
    return played.map(rowsOf);
  },
};

function transformer(
  tokenizer: Tokenizer,
  width: number,
  stateFeature: 'pooler' | 'mean',
  sharp: boolean,
  rng: Rng,
): CriticEncoder {
  const config = encoderConfigFromJson({
    model_type: 'bert',
    vocab_size: tokenizer.vocabSize,
    hidden_size: width,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 4 * width,
    max_position_embeddings: 256,
    pad_token_id: tokenizer.padTokenId,
  });
  const options = { config, tokenizer, stateFeature, maxLength: 256, batchTokens: 4096 };
  if (!sharp) return new TransformerEncoder(options);
  // Matrices of a small encoder keep the size of what they map: 1/√width instead of BERT's 0.02, which is for a width of 768.
  const weights = new TransformerEncoder(options).initialParameters(rng);
  const scaled = Object.fromEntries(
    Object.entries(weights).map(([name, { shape, data }]) => {
      const isMatrix = shape.length === 2;
      const factor = isMatrix ? 1 / Math.sqrt(width) / 0.02 : 1;
      return [name.replace('encoder/', ''), { shape, data: (data as Float32Array).map((x) => x * factor) }];
    }),
  );
  return new TransformerEncoder({ ...options, weights: scaled });
}

const candidates: [string, (tokenizer: Tokenizer, rng: Rng) => CriticEncoder, number[]][] = [
  ['line', (tokenizer) => new LineEncoder(tokenizer, 64), [1e-3, 3e-3]],
  ['recency', (tokenizer) => new RecencyEncoder(tokenizer, 64), [1e-3, 3e-3]],
  ['transformer, pooler', (tokenizer, rng) => transformer(tokenizer, 64, 'pooler', false, rng), [1e-3]],
  ['transformer, mean', (tokenizer, rng) => transformer(tokenizer, 64, 'mean', false, rng), [1e-3]],
  ['transformer, mean, 1/√width', (tokenizer, rng) => transformer(tokenizer, 64, 'mean', true, rng), [1e-3]],
];

const variance = (xs: readonly number[]) => {
  const mean = xs.reduce((a, b) => a + b, 0) / xs.length;
  return xs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / xs.length;
};

const [only, stepsText, candidate = ''] = process.argv.slice(2);
const STEPS = Number(stepsText ?? 400);
for (const name of only ? [only] : Object.keys(sources)) {
  const episodes = await sources[name]();
  const [train, test] = [episodes.slice(HELD_OUT).flat(), episodes.slice(0, HELD_OUT).flat()];
  const mean = train.reduce((sum, { target }) => sum + target, 0) / train.length;
  const tokenizer = wordLevelTokenizer(
    train.flatMap(({ observation, action }) => [observation, action]),
    { wholeTokens: [] },
  );
  console.log(`${name}: ${train.length} turns to learn from, ${test.length} held out, mean return ${mean.toFixed(3)}`);
  for (const [kind, make, rates] of candidates.filter(([kind]) => kind.startsWith(candidate)))
    for (const lr of rates) {
      const device = await openDevice({ device: 'cpu', threads: 1 });
      const rng = new Rng(3);
      const critic = await DoubleCritic.create({
        device,
        encoder: make(tokenizer, rng),
        rng,
        outputBias: mean,
        optimizer: adam,
      });
      const start = performance.now();
      const line: string[] = [];
      for (let step = 1; step <= STEPS; step++) {
        const batch = Array.from({ length: 32 }, () => rng.choice(train));
        const targets = Float32Array.from(batch, ({ target }) => target);
        await critic.accumulateGradients({
          observations: batch.map(({ observation }) => observation),
          actions: batch.map(({ action }) => action),
          q1Targets: targets,
          q2Targets: targets,
          v1Targets: targets,
          v2Targets: targets,
        });
        await critic.optimizer.step({ lr: lr * Math.min(1, step / 40), maxGradNorm: 1 });
        if (step % (STEPS / 2) !== 0) continue;
        const seconds = (performance.now() - start) / 1000;
        const { q1, v1 } = await critic.evaluate(
          test.map(({ observation }) => observation),
          test.map(({ action }) => action),
          'online',
        );
        const explained = (values: Float32Array) =>
          1 - variance(test.map(({ target }, i) => target - values[i])) / variance(test.map(({ target }) => target));
        line.push(
          `${step} steps (${seconds.toFixed(0)} s): Q ${explained(q1).toFixed(2)} V ${explained(v1).toFixed(2)}`,
        );
      }
      console.log(`  ${kind} lr ${lr}: ${line.join(' | ')}`);
      await critic.release();
      await device.close();
    }
}
