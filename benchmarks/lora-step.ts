// GPT-2 124M from random weights: a LoRA step (r = 8 on every linear layer, and on PEFT's c_attn) against the full step,
// both with AdamW, on 4 × 128 tokens. They take turns, so that other work on the machine slows all alike.
// Run: node --conditions=source --import tsx benchmarks/lora-step.ts [repetitions]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { gpt2Config, LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { median, milliseconds } from './measure.js';

const [ROWS, TOKENS] = [4, 128];
const repetitions = Number(process.argv[2] ?? 5);
const adamW = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
const kinds = { full: undefined, 'all-linear': 'all-linear', c_attn: ['c_attn'] } as const;

const device = await openDevice({ device: 'cpu' });
const dir = await mkdtemp(join(tmpdir(), 'lora-step-'));
try {
  const config = gpt2Config({});
  // Saved with a vocabulary of the same size, since adapters stand beside a model that is loaded.
  const words = Array.from({ length: config.vocab_size - 1000 }, (_, i) => `w${i}`).join(' ');
  const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
  const fresh = await LanguageModel.create({ device, config: { ...config }, tokenizer, rng: new Rng(1) });
  await fresh.save(dir);
  await fresh.release();

  const rng = new Rng(2);
  const ids = () => Int32Array.from({ length: TOKENS }, () => rng.integer(1, config.vocab_size - 1));
  const examples = Array.from({ length: ROWS }, () => ({
    ids: ids(),
    targets: ids(),
    weights: new Float32Array(TOKENS).fill(1 / TOKENS),
  }));
  const steps = new Map<string, () => Promise<void>>();
  for (const [kind, targetModules] of Object.entries(kinds)) {
    const lora = targetModules && { r: 8, alpha: 16, dropout: 0, targetModules, seed: 1 };
    const before = process.memoryUsage().rss;
    const model = await LanguageModel.load({ device, dir, lora });
    const optimizer = await model.createOptimizer(adamW);
    const step = async () => {
      await model.accumulateGradients(examples);
      await optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
    };
    await step();
    const gib = (process.memoryUsage().rss - before) / 2 ** 30;
    console.log(`${kind}: ${model.parameters.size} trained, ${gib.toFixed(2)} GiB more resident after a step`);
    steps.set(kind, step);
  }
  const times = new Map([...steps.keys()].map((kind) => [kind, [] as number[]]));
  for (let i = 0; i < repetitions; i++)
    for (const [kind, step] of steps) times.get(kind)!.push(await milliseconds(step));
  const full = median(times.get('full')!);
  for (const [kind, all] of times)
    console.log(`${kind}: ${median(all).toFixed(0)} ms a step, ${(full / median(all)).toFixed(2)} × as fast as full`);
} finally {
  await device.close();
  await rm(dir, { recursive: true, force: true });
}
