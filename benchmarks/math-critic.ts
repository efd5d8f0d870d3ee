// Whether a critic values right solutions above wrong ones: regression on the reward of one-turn episodes of `env=math`, area under the
// ROC curve on problems that it has not seen. The episodes are a run's own. Table in experiments/math/README.md.
//   npx bowyer --config-name archer_math env.max_attempts=1 warmup_iter=11 iterations=12 rollout_size=512 epochs=1 save_path=RUN
//   nice node --conditions=source --import tsx benchmarks/math-critic.ts RUN/trajectories/rollout.jsonl [STEPS [CANDIDATE]]
import { readFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
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
  reward: number;
}

const [file, stepsText = '600', only = ''] = process.argv.slice(2);
const STEPS = Number(stepsText);
const WIDTH = 64;
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
/** Digits apart, as the policy reads them. */
const spaced = (text: string) => text.replace(/\d/g, ' $& ').replace(/ {2,}/g, ' ');

const rows: Row[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const { opening, turns } = JSON.parse(line) as { opening: string; turns: Row[] };
    const [{ action, reward }] = turns;
    return { observation: spaced(opening), action: spaced(action), reward };
  });

function transformer(tokenizer: Tokenizer, rng: Rng, isSharp: boolean): CriticEncoder {
  const config = encoderConfigFromJson({
    model_type: 'bert',
    vocab_size: tokenizer.vocabSize,
    hidden_size: WIDTH,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 4 * WIDTH,
    max_position_embeddings: 256,
    pad_token_id: tokenizer.padTokenId,
  });
  const stateFeature = isSharp ? ('mean' as const) : ('pooler' as const);
  const options = { config, tokenizer, stateFeature, maxLength: 256, batchTokens: 16384 };
  if (!isSharp) return new TransformerEncoder(options);
  // Matrices keep the size of what they map: 1/√width instead of BERT's 0.02, which is for a width of 768.
  const weights = new TransformerEncoder(options).initialParameters(rng);
  const scaled = Object.entries(weights).map(([name, { shape, data }]) => {
    const factor = shape.length === 2 ? 1 / Math.sqrt(WIDTH) / 0.02 : 1;
    return [name.replace('encoder/', ''), { shape, data: (data as Float32Array).map((x) => x * factor) }] as const;
  });
  return new TransformerEncoder({ ...options, weights: Object.fromEntries(scaled) });
}

/** `joint`: V of problem and solution as one text, which is a critic that reads them together. */
const candidates: [name: string, make: (tokenizer: Tokenizer, rng: Rng) => CriticEncoder, lr: number, joint?: true][] =
  [
    ['line', (tokenizer) => new LineEncoder(tokenizer, WIDTH), 3e-3],
    ['recency', (tokenizer) => new RecencyEncoder(tokenizer, WIDTH), 3e-3],
    ['transformer, pooler', (tokenizer, rng) => transformer(tokenizer, rng, false), 3e-3],
    ['transformer, pooler, lower rate', (tokenizer, rng) => transformer(tokenizer, rng, false), 5e-4],
    ['transformer, mean, 1/√width', (tokenizer, rng) => transformer(tokenizer, rng, true), 1e-3],
    ['joint transformer, mean, 1/√width', (tokenizer, rng) => transformer(tokenizer, rng, true), 1e-3, true],
  ];

/** Whether it writes steps before its answer. */
const isWorked = ({ action }: Row) => !action.trimStart().startsWith('\\boxed');

/** Probability that a right solution is valued above a wrong one. */
function auc(values: ArrayLike<number>, held: readonly Row[]): number {
  const ranked = held.map(({ reward }, i) => ({ reward, value: values[i] })).sort((a, b) => a.value - b.value);
  let [wrong, below] = [0, 0];
  for (const { reward } of ranked)
    if (reward > 0) below += wrong;
    else wrong++;
  return below / (wrong * (held.length - wrong));
}

const problems = [...new Set(rows.map(({ observation }) => observation))];
const held = new Set(new Rng(1).shuffle(problems).slice(0, problems.length / 5));
const [train, test] = [false, true].map((isHeld) => rows.filter(({ observation }) => held.has(observation) === isHeld));
const mean = train.reduce((sum, { reward }) => sum + reward, 0) / train.length;
const tokenizer = wordLevelTokenizer(
  rows.flatMap(({ observation, action }) => [observation, action]),
  { wholeTokens: [] },
);
console.log(`${train.length} solutions to learn from, ${test.length} held out, ${(100 * mean).toFixed(1)} % right`);
for (const [name, make, lr, joint = false] of candidates.filter(([name]) => name.startsWith(only))) {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const rng = new Rng(3);
  const critic = await DoubleCritic.create({
    device,
    encoder: make(tokenizer, rng),
    rng,
    outputBias: mean,
    optimizer: adam,
  });
  const observationOf = ({ observation, action }: Row) => (joint ? observation + action : observation);
  const started = performance.now();
  const measure = async (part: readonly Row[]) => {
    const { q1, v1 } = await critic.evaluate(
      part.map(observationOf),
      part.map(({ action }) => action),
      'online',
    );
    const values = [...(joint ? v1 : q1)];
    const worked = part.flatMap((row, i) => (isWorked(row) ? [i] : []));
    return `${auc(values, part).toFixed(3)} (with steps ${auc(
      worked.map((i) => values[i]),
      worked.map((i) => part[i]),
    ).toFixed(3)})`;
  };
  for (let step = 1; step <= STEPS; step++) {
    const batch = Array.from({ length: 64 }, () => rng.choice(train));
    const targets = Float32Array.from(batch, ({ reward }) => reward);
    await critic.accumulateGradients({
      observations: batch.map(observationOf),
      actions: batch.map(({ action }) => action),
      q1Targets: targets,
      q2Targets: targets,
      v1Targets: targets,
      v2Targets: targets,
    });
    await critic.optimizer.step({ lr: lr * Math.min(1, step / 40), maxGradNorm: 1 });
    if (step % (STEPS / 3) === 0)
      console.log(
        `${name}, ${step} steps (${((performance.now() - started) / 1000).toFixed(0)} s): held out ${await measure(test)}, learned ${await measure(train.slice(0, 1000))}`,
      );
  }
  await critic.release();
  await device.close();
}
