// Benchmark of forward_backward and optim_step with ROWS sequences of 128 tokens and rank 8 (attention and feed-forward
// networks). It alternates with the same step of a model that trains in this process (the gradient of bc, AdamW), and with
// PEFT's (benchmarks/peers). Every position has a weight, or the last QUARTER of positions alone. The weights are random. It
// prints medians of wall and CPU seconds, and ratios of CPU time.
//   PYTHON=… node --conditions=source --import tsx packages/tinker/benchmarks/forward-backward.ts [gpt2 | 10.8M] [rows] [repetitions] [threads] [all | quarter]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { median } from '../../../benchmarks/measure.js';
import { openPeer, timesOf, type Times } from '../../../benchmarks/peer.js';
import { TOKENS, trainedShapes } from '../../../benchmarks/trained-shapes.js';
import { openTrainingBase } from '../src/index.js';

const name = process.argv[2] ?? '10.8M';
const rows = Number(process.argv[3] ?? 64);
const repetitions = Number(process.argv[4] ?? 3);
const threads = Number(process.argv[5] ?? 1);
const learned = process.argv[6] ?? 'all';
const config = trainedShapes[name];
const vocabulary = Number(config.vocab_size);
const rng = new Rng(1);
const adam = { learningRate: 1e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0.01, gradClipNorm: 1 };

const data = Array.from({ length: rows }, () => {
  const ids = Int32Array.from({ length: TOKENS + 1 }, () => rng.integer(1, vocabulary - 8));
  const from = learned === 'all' ? 0 : TOKENS - TOKENS / 4;
  const weights = Float32Array.from({ length: TOKENS }, (_, t) => (t < from ? 0 : 1 / rows));
  return { tokens: ids.slice(0, -1), targets: ids.slice(1), width: 1, inputs: { weights } };
});

const device = await openDevice({ device: 'cpu', threads });
const folder = await mkdtemp(join(tmpdir(), 'tinker-benchmark-'));
try {
  const words = Array.from({ length: vocabulary - 8 }, (_, i) => `w${i}`);
  const tokenizer = wordLevelTokenizer([words.join(' ')], { minCount: 1 });
  const fresh = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
  await fresh.save(folder);
  await fresh.release();

  const base = await openTrainingBase({ model: folder, device });
  const model = await base.create({ rank: 8, seed: 1, trainAttn: true, trainMlp: true, trainUnembed: false });
  const own = await base.model.shareBase({ r: 8, alpha: 32, dropout: 0, targetModules: 'all-linear', seed: 1 });
  const { beta1, beta2, eps, weightDecay } = adam;
  await own.createOptimizer({ kind: 'adamw', betas: [beta1, beta2], eps, weightDecay });
  const examples = data.map(({ tokens: ids, targets, inputs: { weights } }) => ({ ids, targets, weights }));
  const steps: Record<string, () => Promise<Times>> = {
    'in process': () =>
      timesOf(async () => {
        await own.accumulateGradients(examples, { sharesPrefixes: true });
        await own.optimizer.step({ lr: adam.learningRate, maxGradNorm: adam.gradClipNorm });
      }),
    forward_backward: () =>
      timesOf(async () => {
        await model.forwardBackward(data, { name: 'cross_entropy', config: {} }, { forwardOnly: false });
        await model.optimStep(adam);
      }),
  };
  const peer = await openPeer<Times>('train_transformers.py', {
    config,
    rows,
    tokens: TOKENS,
    r: 8,
    alpha: 32,
    threads,
  });
  if (peer) steps.PEFT = () => peer.next('float32');
  console.log(`${name}, ${rows} x ${TOKENS} tokens, rank 8, ${threads} thread(s), weights: ${learned}`);
  for (const step of Object.values(steps)) await step();
  const times = new Map(Object.keys(steps).map((kind) => [kind, [] as Times[]]));
  for (let i = 0; i < repetitions; i++) {
    for (const [kind, step] of Object.entries(steps)) times.get(kind)!.push(await step());
    console.log(
      `after repetition ${i + 1}: load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}`,
    );
  }
  const cpuOf = (kind: string) => median(times.get(kind)!.map(({ cpu }) => cpu));
  for (const [kind, own] of times) {
    const wall = median(own.map((time) => time.wall));
    const ratio = cpuOf(kind) / cpuOf('in process');
    console.log(
      `${kind}: wall ${wall.toFixed(2)} s, CPU ${cpuOf(kind).toFixed(2)} s, ${ratio.toFixed(3)} x in process`,
    );
  }
  peer?.close();
  await own.release();
  await base.close();
} finally {
  await device.close();
  await rm(folder, { recursive: true });
}
