// GPT-2 124M from random weights, 4 × 128 tokens, all scored: forward + backward of every parameter, then AdamW, each beside ONNX
// Runtime's own product of matrices. sft-step.ts compares a step with PyTorch.
// Run: node --conditions=source --import tsx benchmarks/train-step.ts [repetitions]
import { readFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { gpt2Config, LanguageModel, type TokenExample } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { matMulRate, median, milliseconds } from './measure.js';

const BATCH = 4;
const TOKENS = 128;
const repetitions = Number(process.argv[2] ?? 7);

const device = await openDevice({ device: 'cpu' });
try {
  const rng = new Rng(1);
  const config = gpt2Config({});
  const words = Array.from({ length: config.vocab_size - 100 }, (_, i) => `w${i}`).join(' '); // any will do
  const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
  const model = await LanguageModel.create({ device, config: { ...config }, tokenizer, rng });
  const optimizer = await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0.01 });
  const examples = Array.from({ length: BATCH }, (): TokenExample => {
    const ids = Int32Array.from({ length: TOKENS + 1 }, () => rng.integer(1, config.vocab_size - 1));
    return {
      ids: ids.slice(0, -1),
      targets: ids.slice(1),
      weights: new Float32Array(TOKENS).fill(1 / (BATCH * TOKENS)),
    };
  });
  const referenceRate = await matMulRate(device);
  const size = model.parameters.size;
  const work = (6 * size * BATCH * TOKENS) / 1e9; // GFLOP: 2 per parameter and token forward, 4 backward

  const rows: { gradients: number; update: number; reference: number; loss: number }[] = [];
  for (let i = 0; i <= repetitions; i++) {
    const references = [await referenceRate()];
    let loss = 0;
    const gradients = await milliseconds(async () => {
      ({ loss } = await model.accumulateGradients(examples));
    });
    references.push(await referenceRate());
    const update = await milliseconds(() => optimizer.step({ lr: 1e-4, maxGradNorm: 1 }));
    const reference = (references[0] + references[1]) / 2;
    if (i === 0) continue; // the first warms up
    rows.push({ gradients, update, reference, loss });
    console.log(
      `forward+backward ${gradients.toFixed(0)} ms ${((work / gradients) * 1e3).toFixed(0)} GFLOP/s, optimizer ${update.toFixed(0)} ms, MatMul ${reference.toFixed(0)} GFLOP/s, loss ${loss.toFixed(4)}`,
    );
  }
  const gradients = median(rows.map((row) => row.gradients));
  const step = median(rows.map((row) => row.gradients + row.update));
  console.log(`parameters                       ${(size / 1e6).toFixed(1)} M`);
  console.log(`tokens/s, whole step             ${((BATCH * TOKENS) / (step / 1e3)).toFixed(0)}`);
  console.log(`forward+backward                 ${((work / gradients) * 1e3).toFixed(0)} GFLOP/s (median)`);
  console.log(
    `MatMul 2048³                     ${median(rows.map((row) => row.reference)).toFixed(0)} GFLOP/s (median)`,
  );
  console.log(
    `forward+backward / MatMul        ${median(rows.map((row) => ((work / row.gradients) * 1e3) / row.reference)).toFixed(2)} (aim: at least 0.85)`,
  );
  console.log(
    `optimizer's share of the step    ${median(rows.map((row) => row.update / (row.gradients + row.update))).toFixed(2)} (aim: at most 0.25)`,
  );
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 2 ** 20;
  console.log(`peak memory of the process       ${peak.toFixed(2)} GiB`);
} finally {
  await device.close();
}
