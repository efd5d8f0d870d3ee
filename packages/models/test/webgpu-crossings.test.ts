// Tests that no tensor is copied between GPU and CPU within a step. ONNX Runtime reports where it would run each node; a node that its
// WebGPU provider lacks would show as copies down and up. No graph is run here.
import { readFileSync } from 'node:fs';
import { gpuCrossings, GraphBuilder, webgpuAvailable, webgpuForm, type Value } from '@bowyer/graph';
import { when } from '@bowyer/testing';
import { architectureFor } from '../src/language-model/architectures.js';
import { adamGraph, polyakGraph } from '../src/optimizers/adam-graph.js';
import { adamW8bitGraph } from '../src/optimizers/adamw-8bit-graph.js';
import { muonGraph } from '../src/optimizers/muon-graph.js';
import { sgdGraph } from '../src/optimizers/sgd-graph.js';
import { residentDecodeGraph } from '../src/decoding/resident-decode-graph.js';
import type { Sampler } from '../src/decoding/sampling.js';
import { encoderDecoderFor } from '../src/seq2seq/seq2seq-architectures.js';
import { scoreGraph } from '../src/seq2seq/seq2seq-graphs.js';
import { gradientName, scoringGraph, trainableParameters, trainingGraph } from '../src/training/training-graph.js';

const maybe = when(await webgpuAvailable(), 'no WebGPU adapter').test;

const gpt2 = architectureFor({
  model_type: 'gpt2',
  vocab_size: 500,
  n_layer: 2,
  n_embd: 32,
  n_head: 2,
  n_positions: 64,
  resid_pdrop: 0.1,
  embd_pdrop: 0.1,
  attn_pdrop: 0.1,
});
/**
 * Products here are large enough to be transposed, and are padded to multiples of 4: the vocabulary, and the heads with one more
 * column.
 */
const padded = architectureFor({
  model_type: 'gpt2',
  vocab_size: 1025,
  n_layer: 1,
  n_embd: 256,
  n_head: 4,
  n_positions: 64,
});
/** Grouped queries, rotary positions in blocks, and one layer with a sliding window. */
const qwen3 = architectureFor({
  model_type: 'qwen3',
  vocab_size: 500,
  hidden_size: 12,
  intermediate_size: 20,
  head_dim: 6,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 600,
  use_sliding_window: true,
  sliding_window: 3,
  max_window_layers: 1,
});
const seq2seq = (name: string) => {
  const path = new URL(`./seq2seq-fixtures/${name}/config.json`, import.meta.url);
  return encoderDecoderFor(JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>);
};

const none = { up: [], down: [] };
const masked = { maskedTokenIds: [0] };
const decoding = { ...masked, tokens: 1, operandOrder: 'rows-left', storedType: 'float32' } as const;
const greedy: Sampler = { kind: 'greedy' };
const tempered: Sampler = { kind: 'full', tempered: true };

maybe.each([
  ['gpt2', gpt2, { dropout: true }],
  ['gpt2 with checkpointing', gpt2, { dropout: true, checkpointing: true }],
  ['qwen3', qwen3, { dropout: false }],
] as const)('training %s: every mask and index is made on the GPU', async (_, architecture, options) => {
  const stored = trainableParameters(architecture, undefined).map(({ name }) => gradientName(name));
  expect(await gpuCrossings(trainingGraph(architecture, { ...masked, ...options }), stored)).toEqual(none);
  expect(await gpuCrossings(scoringGraph(architecture, masked))).toEqual(none);
});

maybe.each(['float32', 'float16'] as const)('training with padded products in %s', async (precision) => {
  const graph = trainingGraph(padded, { ...masked, dropout: false });
  const added = webgpuForm(graph).nodes.filter(({ op }) => op.opType === 'Pad');
  expect(added.length - graph.nodes.filter(({ op }) => op.opType === 'Pad').length).toBeGreaterThanOrEqual(4);
  const stored = trainableParameters(padded, undefined).map(({ name }) => gradientName(name));
  expect(await gpuCrossings(graph, stored, precision)).toEqual(none);
});

maybe.each([
  ['gpt2', gpt2],
  ['qwen3', qwen3],
])('decoding with %s', async (_, architecture) => {
  for (const sampler of [greedy, tempered])
    for (const tokens of [1, 'tokens'] as const)
      expect(await gpuCrossings(residentDecodeGraph(architecture, { ...decoding, tokens, sampler }))).toEqual(none);
  // The ids of the candidates, int64 from the provider's TopK, are brought down: [batch, k] numbers.
  const truncated: Sampler = { kind: 'truncated', tempered: true, candidates: 5 };
  const { up, down } = await gpuCrossings(residentDecodeGraph(architecture, { ...decoding, sampler: truncated }));
  expect([up.length, down.length]).toEqual([1, 2]);
});

maybe.each(['t5', 'bart-relu'])('scoring with encoder-decoder %s', async (name) => {
  expect(await gpuCrossings(scoreGraph(seq2seq(name)))).toEqual(none);
});

maybe('optimizers and averaging', async () => {
  const scalars = [
    'lr',
    'l2',
    'keep',
    'momentum',
    'gradientShare',
    'bufferShare',
    'stepSize',
    'eps',
    'tau',
    'beta1',
    'beta2',
    'oneMinusBeta1',
    'oneMinusBeta2',
    'secondMomentScale',
    'gradientScale',
    'othersNorm',
    'maxGradNorm',
  ];
  const floats = Object.fromEntries(['p', 'g', 'm', 'v', 'b', 'target', 'online'].map((role) => [role, [8, 4]]));
  const codes = { p: [5000], g: [5000], m: [20, 64], v: [20, 64], firstScales: [20, 1], secondScales: [20, 1] };
  for (const build of [adamGraph, adamW8bitGraph, sgdGraph, muonGraph, polyakGraph]) {
    const g = new GraphBuilder('update');
    const states: Record<string, Record<string, Value>> = {};
    const isCoded = build === adamW8bitGraph;
    for (const [role, shape] of Object.entries(isCoded ? codes : floats)) {
      const dtype = isCoded && (role === 'm' || role === 'v') ? 'int32' : 'float32';
      states[role] = { w: g.input(`${role}/w`, dtype, shape) };
    }
    const args = Object.fromEntries(scalars.map((name) => [name, g.input(name, 'float32', [])]));
    const updated = build(g, { states, args, constants: {} });
    for (const [role, { w }] of Object.entries(updated.states)) if (w) g.output(`${role}/w`, w); // Muon: momentum or moments
    const stored = [...g.outputs.keys()];
    for (const [name, value] of Object.entries(updated.results ?? {})) g.output(name, value);
    expect(await gpuCrossings(g, stored)).toEqual(none);
  }
});
