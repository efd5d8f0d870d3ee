// Times a LoRA step (r = 8, all linear layers, AdamW, 4 × 128 tokens, random weights) in float32, on a base of 8 and 4 bits, and
// with integer products, alternating with PEFT's (peers/train_transformers.py: float32, bfloat16 by autocast, torch.compile). It
// prints medians, PyTorch's fastest form ÷ ours, and the effect of the integers: the cosine of the whole gradient, the smallest
// cosine of a tensor, and the loss on held-out texts after all steps. With a trained model's FOLDER instead of a shape, the texts
// are sampled from it, without PEFT, and the difference of log-probabilities between integer sampling and the trainer is printed
// too.
//   PYTHON=… node --conditions=source --import tsx benchmarks/integer-lora.ts [gpt2 | 10.8M | FOLDER] [repetitions] [threads] [PyTorch's forms]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { maximum, minimum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { median } from './measure.js';
import { openPeer, timesOf, type Times } from './peer.js';
import { ROWS, TOKENS, trainedShapes } from './trained-shapes.js';
import { numberedWords } from './random-gpt2.js';

const name = process.argv[2] ?? '10.8M';
const repetitions = Number(process.argv[3] ?? 5);
const threads = Number(process.argv[4] ?? 1);
const forms = (process.argv[5] ?? 'float32,bfloat16,compiled').split(',').filter(Boolean);
const config = trainedShapes[name];
const vocabulary = Number(config?.vocab_size);
const adamW = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
const lora = { r: 8, alpha: 16, dropout: 0, targetModules: 'all-linear', seed: 1 } as const;
const kinds = {
  float32: { quantization: 'none', integerProducts: false },
  '8 bits': { quantization: '8bit', integerProducts: false },
  '4 bits': { quantization: '4bit', integerProducts: false },
  '8 bits, integers': { quantization: '8bit', integerProducts: true },
  '4 bits, integers': { quantization: '4bit', integerProducts: true },
} as const;
type Kind = keyof typeof kinds;

const example = (text: readonly number[], rows: number) => ({
  ids: Int32Array.from(text.slice(0, -1)),
  targets: Int32Array.from(text.slice(1)),
  weights: new Float32Array(text.length - 1).fill(1 / (rows * (text.length - 1))),
});

/** Texts sampled from a trained model; empty for random weights. */
let samples: readonly (readonly number[])[] = [];

/** Makes texts in which four of five words follow from the previous word. */
function examples(seed: number) {
  if (samples.length > 0)
    return Array.from({ length: ROWS }, (_, i) => example(samples[(seed * ROWS + i) % samples.length], ROWS));
  const rng = new Rng(seed);
  const word = () => rng.integer(1, vocabulary - 8);
  return Array.from({ length: ROWS }, () => {
    const text = [word()];
    while (text.length <= TOKENS) text.push(rng.uniform() < 0.8 ? 1 + ((7 * text.at(-1)!) % (vocabulary - 9)) : word());
    return example(text, ROWS);
  });
}

/** Samples texts of TOKENS tokens after the BOS token, with the sampler's log-probabilities. */
async function sample(model: LanguageModel, count: number) {
  const first = Number(model.config.bos_token_id ?? 1);
  const episodes = await model.openEpisodes({ slots: count, contextLength: TOKENS + 2 });
  const turns = Array.from({ length: count }, (_, slot) => ({ slot, tokens: [first], rng: new Rng(slot) }));
  const drawn = { temperature: 1, topK: 0, topP: 1, greedy: false, terminatorIds: [], maxNewTokens: TOKENS };
  const utterances = await episodes.act(turns, drawn);
  await episodes.close();
  return utterances.map(({ ids, logprobs }) => ({ text: [first, ...ids], logprobs }));
}

/** Computes mean and largest difference, in nats, between a token's log-probabilities in sampling and in scoring. */
async function samplerDifference(model: LanguageModel): Promise<[mean: number, largest: number]> {
  const texts = await sample(model, 4 * ROWS);
  const scored = await model.logprobs(texts.map(({ text }) => example(text, 1)));
  const differences = texts.flatMap(({ logprobs }, i) => [...logprobs].map((x, at) => Math.abs(x - scored[i][at])));
  return [differences.reduce((a, b) => a + b, 0) / differences.length, maximum(differences)];
}

async function heldOutLoss(model: LanguageModel): Promise<number> {
  const rows = await model.logprobs(examples(1));
  return -rows.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0) / row.length, 0) / ROWS;
}

/** Computes the gradients with the same nonzero adapters each time. */
async function gradientsOf(model: LanguageModel): Promise<Map<string, Float32Array>> {
  const before = await model.copyParameters();
  const rng = new Rng(9);
  const drawn = Object.entries(before).map(([key, { shape, data }]) => {
    return [key, { shape, data: Float32Array.from(data, (x) => x + 0.02 * rng.normal()) }] as const;
  });
  await model.restoreParameters(Object.fromEntries(drawn));
  const { gradients } = await model.createOptimizer(adamW);
  await model.accumulateGradients(examples(2));
  const found = await device.read(gradients);
  await model.restoreParameters(before);
  return new Map(gradients.names.map((key) => [key, found[key].data as Float32Array]));
}

/** Computes the cosine of the whole gradients, and the smallest cosine of a tensor. */
function cosines(a: Map<string, Float32Array>, b: Map<string, Float32Array>): { whole: number; least: number } {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const products = [...a].map(([key, x]) => [dot(x, b.get(key)!), dot(x, x), dot(b.get(key)!, b.get(key)!)]);
  const [xy, xx, yy] = [0, 1, 2].map((i) => products.reduce((sum, row) => sum + row[i], 0));
  return { whole: xy / Math.sqrt(xx * yy), least: minimum(products.map(([p, q, r]) => p / Math.sqrt(q * r))) };
}

const device = await openDevice({ device: 'cpu', threads });
const made = config && (await mkdtemp(join(tmpdir(), 'integer-lora-')));
const dir = made ?? name;
const settings = { config, rows: ROWS, tokens: TOKENS, r: lora.r, alpha: lora.alpha, threads };
const peer = config && forms.length > 0 ? await openPeer<Times>('train_transformers.py', settings) : null;
try {
  if (made) {
    const tokenizer = numberedWords(vocabulary - 8);
    const fresh = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
    await fresh.save(made);
    await fresh.release();
  } else {
    const trained = await LanguageModel.load({ device, dir });
    samples = (await sample(trained, 6 * ROWS)).map(({ text }) => text);
    await trained.release();
  }
  const models = new Map<Kind, LanguageModel>();
  const gradients = new Map<Kind, Map<string, Float32Array>>();
  for (const [kind, { quantization, integerProducts }] of Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]) {
    const model = await LanguageModel.load({
      device,
      dir,
      quantization,
      packedDecoding: made ? undefined : true,
      lora: { ...lora, integerProducts },
    });
    models.set(kind, model);
    gradients.set(kind, await gradientsOf(model));
    await model.createOptimizer(adamW);
  }
  const before = await heldOutLoss(models.get('float32')!);
  const times = new Map<string, Times[]>(
    [...models.keys(), ...forms.map((form) => `PEFT ${form}`)].map((kind) => [kind, []]),
  );
  const loads: number[] = [];
  for (let i = 0; i <= repetitions; i++) {
    for (const [kind, model] of models) {
      const step = async () => {
        await model.accumulateGradients(examples(10 + i));
        await model.optimizer.step({ lr: 1e-3, maxGradNorm: 1 });
      };
      times.get(kind)!.push(await timesOf(step));
    }
    if (peer) for (const form of forms) times.get(`PEFT ${form}`)!.push(await peer.next(form));
    loads.push(loadavg()[0]);
  }
  const medians = new Map<string, Times>();
  for (const [kind, all] of times) {
    const timed = all.slice(1); // without the first one, a warm-up
    if (timed.length > 0)
      medians.set(kind, { wall: median(timed.map(({ wall }) => wall)), cpu: median(timed.map(({ cpu }) => cpu)) });
  }
  const best = (key: keyof Times) => minimum(forms.map((form) => medians.get(`PEFT ${form}`)?.[key] ?? Infinity));
  const float32 = medians.get('float32')!;
  console.log(`${name}, ${ROWS} × ${TOKENS} tokens, ${threads} thread(s), load ${median(loads).toFixed(1)}`);
  for (const [kind, { wall, cpu }] of medians) {
    const ratios = [
      peer ? `PEFT's best ÷ this ${(best('wall') / wall).toFixed(2)} (CPU time ${(best('cpu') / cpu).toFixed(2)})` : '',
      `our float32 ÷ this ${(float32.wall / wall).toFixed(2)} (${(float32.cpu / cpu).toFixed(2)})`,
    ];
    console.log(`${kind}: ${wall.toFixed(3)} s, ${cpu.toFixed(3)} s of CPU time; ${ratios.filter(Boolean).join('; ')}`);
  }
  const loss = await heldOutLoss(models.get('float32')!);
  console.log(
    `held-out loss of float32: ${before.toFixed(4)} before, ${loss.toFixed(4)} after ${repetitions + 1} steps`,
  );
  for (const bits of ['8 bits', '4 bits'] as const) {
    const kind = `${bits}, integers` as const;
    const held = await heldOutLoss(models.get(kind)!);
    const above = (other: number) => `${(100 * (held / other - 1)).toFixed(3)} %`;
    const without = await heldOutLoss(models.get(bits)!);
    const { whole, least } = cosines(gradients.get(bits)!, gradients.get(kind)!);
    console.log(
      `${kind}: held-out loss ${above(loss)} above float32, ${above(without)} above ${bits} without; cosine to those ${whole.toFixed(6)}, least of a tensor ${least.toFixed(6)}`,
    );
    if (made) continue;
    for (const of of [bits, kind]) {
      const [mean, largest] = await samplerDifference(models.get(of)!);
      console.log(
        `${of}: sampling and scoring differ by ${mean.toFixed(4)} nats a token, at most ${largest.toFixed(3)}`,
      );
    }
  }
} finally {
  if (peer) peer.close();
  await device.close();
  if (made) await rm(made, { recursive: true, force: true });
}
