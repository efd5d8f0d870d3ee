// Counts the kernels of GPT-2 on WebGPU, and the bytes that they read and write, in ONNX Runtime's profile: a decoding step of 16
// rows, the gradients of 1 × 16 tokens, an optimizer step. Shapes decide both, so an adapter in software will do; a view of a tensor
// does not count, and of Gather's table and ScatterND's target only the rows in question count. Then it prints the process's
// memory after training steps of 4 rows with a hundred changing lengths.
//   VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.json node --conditions=source --import tsx benchmarks/gpu-kernels.ts
//     [layers] [width] [vocabulary] [bucket | exact]
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenToSpans, Rng } from '@bowyer/core';
import { openDevice, type GpuBuffers } from '@bowyer/graph';
import { gpt2Config, LanguageModel, type TokenExample } from '@bowyer/models';
import { numberedWords, randomPrompts } from './random-gpt2.js';

interface Profiled {
  cat: string;
  name: string;
  ts: number;
  args: { op_name: string; provider: string; input_type_shape: TypedShape[]; output_type_shape: TypedShape[] };
}

/** A shape under the name of its type. */
type TypedShape = Record<string, number[]>;

const [layers, width, vocabulary] = [12, 64, 500].map((usual, i) => Number(process.argv[2 + i] ?? usual));
const gpuBuffers = (process.argv[5] ?? 'exact') as GpuBuffers;
const LENGTHS = 100;
const VIEWS = new Set(['Reshape', 'Squeeze', 'Unsqueeze', 'Shape']);
const TYPE_BYTES: Record<string, number> = { int64: 8, bool: 1, float16: 2 };

const folder = await mkdtemp(join(tmpdir(), 'gpu-kernels-'));
try {
  const stop = listenToSpans(() => undefined, folder);
  await withModel(async (model) => {
    const episodes = await model.openEpisodes({ slots: 16 });
    const turns = examplesOf(16, 1).map(({ ids }, slot) => ({ slot, tokens: [...ids], rng: new Rng(4) }));
    const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [], maxNewTokens: 6 };
    await episodes.act(turns, greedy);
    for (let i = 0; i < 3; i++) await train(model, 1, 16);
  });
  stop();
  for (const file of await readdir(folder)) await report(file);
} finally {
  await rm(folder, { recursive: true });
}
await withModel(async (model) => {
  const rng = new Rng(3);
  for (let i = 1; i <= LENGTHS; i++) {
    await train(model, 4, i === 1 ? 256 : rng.integer(64, 255));
    if ([1, 10, 25, 50, LENGTHS].includes(i))
      console.log(`${i} lengths, ${gpuBuffers}: ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`);
  }
});

async function withModel(work: (model: LanguageModel) => Promise<void>): Promise<void> {
  const device = await openDevice({ device: 'webgpu', gpuBuffers });
  const sizes = { n_layer: layers, n_embd: width, n_head: Math.max(4, width / 64), vocab_size: vocabulary };
  const config = { ...gpt2Config({ model_type: 'gpt2', ...sizes }), ...sizes };
  const tokenizer = numberedWords(vocabulary - 3);
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0.01 });
  await work(model);
  await device.close();
}

function examplesOf(rows: number, length: number): TokenExample[] {
  const own = randomPrompts(new Rng(2), rows, length + 1).map((row) => row.map((id) => 1 + (id % (vocabulary - 1))));
  return own.map((row) => ({
    ids: Int32Array.from(row.slice(0, -1)),
    targets: Int32Array.from(row.slice(1)),
    weights: new Float32Array(length).fill(1 / (rows * length)),
  }));
}

async function train(model: LanguageModel, rows: number, length: number): Promise<void> {
  await model.accumulateGradients(examplesOf(rows, length));
  await model.optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
}

/** Prints the kernels and megabytes of the last run in a profile, of each session with more than 20 kernels. */
async function report(file: string): Promise<void> {
  const events = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profiled[];
  const runs = events.filter(({ name }) => name === 'model_run').length;
  const lastRun = (of: (event: Profiled) => boolean) => {
    const found = events.filter(of).sort((a, b) => a.ts - b.ts);
    return found.slice(-found.length / runs);
  };
  // A node may start several kernels, each of which is an event of its own: NODE&OPERATOR&KERNEL.
  const kernels = lastRun(({ cat }) => cat === 'Api').map(({ name }) => name.split('&').at(-1)!);
  if (kernels.length < 20) return;
  const nodes = lastRun(({ cat, name }) => cat === 'Node' && name.endsWith('_kernel_time')).map(({ args }) => args);
  const onGpu = nodes.filter(({ op_name, provider }) => provider === 'WebGpuExecutionProvider' && !VIEWS.has(op_name));
  const bytes = onGpu.reduce((sum, args) => sum + bytesOf(args), 0);
  const counts = new Map<string, number>();
  for (const kernel of kernels) counts.set(kernel, (counts.get(kernel) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, 6);
  console.log(
    `${kernels.length} kernels, ${(bytes / 1e6).toFixed(1)} MB: ${most.map((entry) => entry.join(' ')).join(', ')}`,
  );
}

function bytesOf({ op_name, input_type_shape, output_type_shape }: Profiled['args']): number {
  const [inputs, outputs] = [input_type_shape, output_type_shape].map((shapes) => shapes.map(sizeOf));
  if (op_name === 'Gather') return 2 * outputs[0] + inputs[1];
  if (op_name === 'ScatterND') return inputs[1] + 2 * inputs[2];
  return [...inputs, ...outputs].reduce((sum, size) => sum + size, 0);
}

function sizeOf(shape: TypedShape): number {
  const [[type, dims]] = Object.entries(shape);
  return dims.reduce((product, dim) => product * dim, TYPE_BYTES[type] ?? 4);
}
