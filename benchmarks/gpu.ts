// Times a training step and greedy generation of GPT-2 124M on a GPU, and of PyTorch on the same card if a Python has torch with
// CUDA. Both use float32, unless the fourth argument is float16, which only Bowyer uses (PyTorch's autocast would use tensor
// cores). The weights are random.
//   node --conditions=source --import tsx benchmarks/gpu.ts [webgpu | cuda | cpu] [gpt2 | tiny] [repetitions] [float32 | float16]
//     [bucket | exact]
// PYTHON is the Python's path; with PEER_DEVICE=cpu PyTorch runs without a card, to try this script.
import { Rng } from '@bowyer/core';
import { openDevice, type DeviceKind, type GpuBuffers, type Precision } from '@bowyer/graph';
import { gpt2Config, LanguageModel, type TokenExample } from '@bowyer/models';
import { median, milliseconds } from './measure.js';
import { openPeer } from './peer.js';
import { numberedWords, randomPrompts } from './random-gpt2.js';

const kind = (process.argv[2] ?? 'webgpu') as DeviceKind;
const repetitions = Number(process.argv[4] ?? 5);
const precision = (process.argv[5] ?? 'float32') as Precision;
const gpuBuffers = (process.argv[6] ?? 'bucket') as GpuBuffers;
const sizes = {
  gpt2: {
    layers: 12,
    width: 768,
    heads: 12,
    vocabulary: 50_257,
    positions: 1024,
    batch: 8,
    tokens: 512,
    rows: 16,
    prompt: 64,
    new_tokens: 32,
  },
  tiny: {
    layers: 2,
    width: 64,
    heads: 4,
    vocabulary: 500,
    positions: 128,
    batch: 2,
    tokens: 32,
    rows: 4,
    prompt: 16,
    new_tokens: 8,
  },
};
const size = sizes[(process.argv[3] ?? 'gpt2') as keyof typeof sizes];

interface Contestant {
  name: string;
  /** Measures a step in milliseconds: forward, backward, clipping, AdamW. */
  train(): Promise<number>;
  /** Generates `new_tokens` greedy tokens for every row, and returns the milliseconds, prompts included. */
  generate(): Promise<number>;
  close(): Promise<void>;
}

const contestants = [await ours(), await torch()].filter((one) => one !== undefined);
try {
  for (const { name, ...run } of contestants) {
    const figures = { train: [] as number[], generate: [] as number[] };
    for (const part of ['train', 'generate'] as const) {
      await run[part](); // compiles
      for (let i = 0; i < repetitions; i++) figures[part].push(await run[part]());
    }
    const [train, generate] = [median(figures.train), median(figures.generate)];
    const tokensPerSecond = (tokens: number, ms: number) => `${((1e3 * tokens) / ms).toFixed(0)} tokens/s`;
    console.log(
      `${name}\n  training step, ${size.batch} x ${size.tokens} tokens: ${train.toFixed(0)} ms, ` +
        tokensPerSecond(size.batch * size.tokens, train) +
        `\n  generation, ${size.rows} rows, prompt ${size.prompt}, ${size.new_tokens} new: ${generate.toFixed(0)} ms, ` +
        tokensPerSecond(size.rows * size.new_tokens, generate),
    );
  }
} finally {
  for (const one of contestants) await one.close();
}

async function ours(): Promise<Contestant> {
  const device = await openDevice({ device: kind, precision, gpuBuffers });
  const model = await LanguageModel.create({
    device,
    config: {
      ...gpt2Config({ model_type: 'gpt2', n_layer: size.layers, n_embd: size.width, n_head: size.heads }),
      n_positions: size.positions,
      vocab_size: size.vocabulary,
    },
    tokenizer: numberedWords(size.vocabulary - 3),
    rng: new Rng(1),
    masksPadding: false,
  });
  await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0.01 });
  const tokens = (rng: Rng, rows: number, columns: number) =>
    randomPrompts(rng, rows, columns).map((row) => row.map((id) => 1 + (id % (size.vocabulary - 1))));
  const examples = tokens(new Rng(2), size.batch, size.tokens + 1).map((row): TokenExample => ({
    ids: Int32Array.from(row.slice(0, -1)),
    targets: Int32Array.from(row.slice(1)),
    weights: new Float32Array(size.tokens).fill(1 / (size.batch * size.tokens)),
  }));
  const prompts = tokens(new Rng(3), size.rows, size.prompt);
  const episodes = await model.openEpisodes({ slots: size.rows });
  const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
  return {
    name: `Bowyer, device=${kind} precision=${precision} gpu_buffers=${gpuBuffers}`,
    train: () =>
      milliseconds(async () => {
        await model.accumulateGradients(examples);
        await model.optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
      }),
    generate: () =>
      milliseconds(() =>
        episodes.act(
          prompts.map((row, slot) => ({ slot, reset: true, tokens: row, rng: new Rng(4) })),
          { ...greedy, maxNewTokens: size.new_tokens },
        ),
      ),
    close: () => device.close(),
  };
}

/** Opens torch; returns undefined if the Python has none, or no CUDA. */
async function torch(): Promise<Contestant | undefined> {
  const peer = await openPeer<{ ms: number }>('gpt2_torch.py', { ...size, device: process.env.PEER_DEVICE ?? 'cuda' });
  if (peer === null) return undefined;
  const ask = async (part: string) => (await peer.next(part)).ms;
  return {
    name: peer.about,
    train: () => ask('train'),
    generate: () => ask('generate'),
    close: async () => peer.close(),
  };
}
