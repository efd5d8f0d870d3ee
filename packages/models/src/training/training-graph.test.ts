// Tests for every architecture that recomputed blocks and a loss in chunks, which save memory, have the gradients of the plain graph.
import { readFileSync, writeFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
import { openDevice, type InputTensor } from '@bowyer/graph';
import { architectureFor } from '../language-model/architectures.js';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import { gradientName, trainingGraph, type TrainingOptions } from './training-graph.js';

const ROWS = 3;
const TOKENS = 100;
const VOCABULARY = 50;

const llama = {
  model_type: 'llama',
  vocab_size: VOCABULARY,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 128,
  tie_word_embeddings: false,
};
const gptNeoX = { ...llama, model_type: 'gpt_neox', hidden_act: 'gelu', use_parallel_residual: true, rotary_pct: 1 };
const gpt2 = {
  model_type: 'gpt2',
  vocab_size: VOCABULARY,
  n_embd: 16,
  n_head: 2,
  n_layer: 2,
  n_positions: 128,
  resid_pdrop: 0.2,
  attn_pdrop: 0.2,
  embd_pdrop: 0.2,
};
/** The last two layers use the keys and values of the first two, and every layer uses a part of one projection. */
const gemma4 = {
  ...llama,
  model_type: 'gemma4_text',
  num_hidden_layers: 4,
  num_kv_shared_layers: 2,
  use_double_wide_mlp: true,
  head_dim: 6,
  global_head_dim: 8,
  hidden_size_per_layer_input: 5,
  vocab_size_per_layer_input: VOCABULARY,
  layer_types: ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'],
  sliding_window: 9,
};

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/**
 * Compiles a training graph once, for weights and random tokens of which `scored` are scored.
 *
 * @returns a function that computes the loss and every gradient, also with changed weights
 */
async function gradientsOf(config: Record<string, unknown>, scored: number, options: Partial<TrainingOptions>) {
  const architecture = architectureFor(config);
  const rng = new Rng(5);
  // Large weights make attention far from uniform.
  const parameters = initializeParameters(architecture.parameters, rng);
  for (const { data, shape } of Object.values(parameters))
    if (shape.length === 2) data.forEach((_, i) => (data[i] = 0.3 * rng.normal()));
  const graph = trainingGraph(architecture, { maskedTokenIds: [3], dropout: false, ...options });
  const tokens = (length: number) => Int32Array.from({ length }, () => rng.integer(4, VOCABULARY - 1));
  const inputs: Record<string, InputTensor> = {
    ids: { dims: [ROWS, TOKENS], data: tokens(ROWS * TOKENS) },
    scored_positions: { dims: [scored], data: Int32Array.from({ length: scored }, (_, i) => i) },
    targets: { dims: [scored], data: tokens(scored) },
    weights: { dims: [scored], data: Float32Array.from({ length: scored }, () => rng.normal()) },
    ...(options.dropout && { dropout_seed: { dims: [], data: [12345] } }),
  };
  const program = await device.compile(graph);
  return async (changes: Record<string, Float32Array> = {}): Promise<Record<string, Float32Array>> => {
    const changed = Object.entries(parameters).map(([name, { data, shape }]) => [
      name,
      { shape, data: Float32Array.from(data, (x, i) => x + (changes[name]?.[i] ?? 0)) },
    ]);
    const state = await device.createState(Object.fromEntries(changed) as typeof parameters);
    const wiring = Object.fromEntries(architecture.parameters.map(({ name }) => [name, [state, name] as const]));
    const outputs = await program.run({ inputs, state: wiring });
    await device.release(state);
    const names = ['loss', ...architecture.parameters.map(({ name }) => gradientName(name))];
    expect(Object.keys(outputs).sort()).toEqual(names.sort());
    return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
  };
}

const lossAndGradients = async (...graph: Parameters<typeof gradientsOf>) => (await gradientsOf(...graph))();

/** Computes the largest difference of two tensors, relative to the largest element. */
function difference(a: Float32Array, b: Float32Array): number {
  const largest = a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  return a.reduce((m, x, i) => Math.max(m, Math.abs(x - b[i])), 0) / (largest || 1); // all elements of a buffer's gradient are 0
}

const largestDifference = (a: Record<string, Float32Array>, b: Record<string, Float32Array>) =>
  Object.keys(a).reduce((m, name) => Math.max(m, difference(a[name], b[name])), 0);

test.each([
  ['gpt2', gpt2, false],
  ['gpt2 with dropout, the same masks the second time', gpt2, true],
  ['llama', llama, false],
  ['gpt-neox', gptNeoX, false],
  ['gemma4, keys and values of earlier blocks', gemma4, false],
])('gradient checkpointing: %s', async (_, config, dropout) => {
  const plain = await lossAndGradients(config, 7, { dropout });
  const checkpointed = await lossAndGradients(config, 7, { dropout, checkpointing: true });
  expect(largestDifference(plain, checkpointed)).toBeLessThan(1e-6);
  expect(difference(plain.loss, Float32Array.of(0))).toBe(1); // the loss is not 0
});

test.each([
  ['a tied head', gpt2],
  ['a head of its own', llama],
])('loss in chunks: %s', async (_, config) => {
  for (const scored of [2, 300]) {
    const plain = await lossAndGradients(config, scored, {});
    // 300 rows make chunks of 256, 44 and two empty ones; 2 rows leave three empty.
    const chunked = await lossAndGradients(config, scored, { lossChunks: 4, checkpointing: true });
    expect(largestDifference(plain, chunked)).toBeLessThan(2e-6);
  }
});

/** Chunks skip keys beyond the window. */
const mistral = { ...llama, model_type: 'mistral', sliding_window: 30 };
const gptOss = {
  ...llama,
  model_type: 'gpt_oss',
  head_dim: 8,
  num_local_experts: 2,
  num_experts_per_tok: 1,
  sliding_window: 9,
  layer_types: ['sliding_attention', 'full_attention'],
};
const bloom = { model_type: 'bloom', vocab_size: VOCABULARY, hidden_size: 16, n_layer: 2, n_head: 4 };

test.each([
  ['gpt2', gpt2, false],
  ['llama, heads that share keys', llama, false],
  ['mistral, a window', mistral, false],
  ['gpt-oss, sinks', gptOss, false],
  ['bloom, biases by position', bloom, false],
  ['llama, blocks recomputed', llama, true],
  ['gemma4, two windows, blocks recomputed', gemma4, true],
])('attention in chunks: %s', async (_, config, checkpointing) => {
  const plain = await lossAndGradients(config, 290, {});
  // Chunks of 33, 33 and 34 tokens, or of 12 and 13. The scores of 8 chunks are computed again.
  for (const chunks of [3, 8]) {
    const chunked = await lossAndGradients(config, 290, { chunks, checkpointing });
    // gemma4's gradients reach 980 here, so the last bits of its scores become 1e-4.
    expect(largestDifference(plain, chunked)).toBeLessThan(2e-4);
  }
});

test.each([false, true])('dropout of scores that are computed again, blocks too: %s', async (checkpointing) => {
  const lossOf = await gradientsOf(gpt2, 290, { dropout: true, chunks: 8, checkpointing });
  const { loss: _, ...gradients } = await lossOf();
  const squares = Object.values(gradients).reduce((sum, g) => g.reduce((part, x) => part + x * x, sum), 0);
  const step = 0.002 / Math.sqrt(squares);
  const moved = (sign: number) =>
    Object.fromEntries(
      Object.entries(gradients).map(([name, g]) => [
        name.slice(gradientName('').length),
        g.map((x) => sign * step * x),
      ]),
    );
  const [above, below] = [await lossOf(moved(1)), await lossOf(moved(-1))];
  // With the same masks in both computations the slope along the gradient is its squared length.
  expect((above.loss[0] - below.loss[0]) / (2 * step) / squares).toBeCloseTo(1, 2);
});

/** Returns the bytes that the first gradient of one row needs. @param scored the number of its last tokens that are scored */
async function peakOfGradient(
  config: Record<string, unknown>,
  { tokens, scored, ...options }: Partial<TrainingOptions> & { tokens: number; scored: number },
): Promise<number> {
  const architecture = architectureFor({ ...config, max_position_embeddings: tokens });
  const state = await device.createState(initializeParameters(architecture.parameters, new Rng(6)));
  const wiring = Object.fromEntries(architecture.parameters.map(({ name }) => [name, [state, name] as const]));
  const program = await device.compile(trainingGraph(architecture, { maskedTokenIds: [], dropout: false, ...options }));
  const row = (length: number, value: (i: number) => number) => Int32Array.from({ length }, (_, i) => value(i));
  const inputs = {
    ids: { dims: [1, tokens], data: row(tokens, (i) => 4 + (i % 40)) },
    scored_positions: { dims: [scored], data: row(scored, (i) => tokens - scored + i) },
    targets: { dims: [scored], data: row(scored, () => 7) },
    weights: { dims: [scored], data: new Float32Array(scored).fill(1) },
  };
  const peak = () => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]);
  writeFileSync('/proc/self/clear_refs', '5'); // the peak begins at the memory that is in use now
  const before = peak();
  await program.run({ inputs, state: wiring });
  const bytes = peak() - before;
  await program.release();
  await device.release(state);
  return bytes;
}

test('a gradient of a long sequence does not keep the scores of all chunks', async () => {
  const [tokens, chunks] = [5000, 16];
  const peak = await peakOfGradient(llama, { tokens, scored: 1, chunks });
  const scoresOfLayer = (llama.num_attention_heads * tokens * (tokens + 1) * Float32Array.BYTES_PER_ELEMENT) / 2;
  expect(peak).toBeLessThan(1.5 * scoresOfLayer); // the probabilities of both layers are twice the scores of one
});

test('a loss in chunks does not keep the logits of all chunks', async () => {
  const [tokens, vocabulary] = [4000, 16_000];
  const config = { ...llama, num_hidden_layers: 1, vocab_size: vocabulary };
  const peak = await peakOfGradient(config, { tokens, scored: tokens, lossChunks: 16, chunks: 8 });
  expect(peak).toBeLessThan(1.5 * tokens * vocabulary * Float32Array.BYTES_PER_ELEMENT); // logits and probabilities of all chunks are twice that size
});

test('blocks are computed a second time, and only with checkpointing', () => {
  const count = (checkpointing: boolean) =>
    trainingGraph(architectureFor(gpt2), { maskedTokenIds: [], dropout: false, checkpointing }).nodes.filter(
      ({ op }) => op.opType === 'Gelu',
    ).length;
  expect([count(false), count(true)]).toEqual([2, 4]);
});
