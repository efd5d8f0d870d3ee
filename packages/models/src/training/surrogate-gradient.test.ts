// Tests that a training graph which computes the loss itself has the gradients of the loss on the host (see
// logprob-gradients.test.ts), whether or not common prefixes are computed once.
import {
  clippedValueLoss,
  entropyBonus,
  klPenalty,
  ppoClipLoss,
  Rng,
  weightedSum,
  tokenMaskOf,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { jest } from '@jest/globals';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import { tokenBatches, type TokenExample } from '../batching/token-batches.js';
import { architectureFor } from '../language-model/architectures.js';
import { createOptimizer } from '../optimizers/create-optimizer.js';
import type { SurrogateForm, SurrogateLoss } from './surrogate-gradient.js';
import { TokenScorer } from './token-scorer.js';
import { valueHeadParameters } from './value-head.js';

const VOCABULARY = 30;
const llama = {
  model_type: 'llama',
  vocab_size: VOCABULARY,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
  tie_word_embeddings: false,
};
const architectures = {
  gpt2: { model_type: 'gpt2', vocab_size: VOCABULARY, n_embd: 16, n_head: 2, n_layer: 2, n_positions: 64 },
  'llama, queries in groups': llama,
  'gemma2, windows and soft caps': {
    ...llama,
    model_type: 'gemma2',
    head_dim: 4,
    query_pre_attn_scalar: 4,
    sliding_window: 12,
    attn_logit_softcapping: 5,
    final_logit_softcapping: 5,
    hidden_activation: 'gelu_pytorch_tanh',
  },
  'bloom, biases of positions': { model_type: 'bloom', vocab_size: VOCABULARY, hidden_size: 16, n_head: 4, n_layer: 2 },
  'smeared llama, keys of three tokens': { ...llama, model_type: 'smeared_llama', key_convolution_tokens: 3 },
  'canon llama': { ...llama, model_type: 'canon_llama', hidden_size: 32 },
  'lfm2, a short convolution': { ...llama, model_type: 'lfm2', layer_types: ['conv', 'full_attention'] },
  'qwen 3 next, a gated delta rule': {
    ...llama,
    model_type: 'qwen3_next',
    head_dim: 8,
    layer_types: ['linear_attention', 'full_attention'],
    linear_num_key_heads: 1,
    linear_num_value_heads: 2,
    linear_key_head_dim: 4,
    linear_value_head_dim: 4,
    linear_conv_kernel_dim: 3,
    num_experts: 2,
    num_experts_per_tok: 1,
    moe_intermediate_size: 8,
    shared_expert_intermediate_size: 8,
  },
};

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const rng = new Rng(4);
const randomIds = (count: number) => Int32Array.from({ length: count }, () => rng.integer(1, VOCABULARY - 1));

/** There are two groups of four examples with a prompt of 44 tokens each, and two other examples. */
const answers: TokenExample[] = [44, 44, 3, 5].flatMap((length, group) => {
  const prompt = randomIds(length);
  return Array.from({ length: group < 2 ? 4 : 1 }, (_, i): TokenExample => {
    const ids = Int32Array.of(...prompt, ...randomIds(4 + 2 * i));
    const weights = Float32Array.from(ids, (_, t) => (t >= length - 1 && t !== length + 1 ? 1 : 0));
    return { ids, targets: randomIds(ids.length), weights };
  });
});
/**
 * Seven branches of a dialogue, which leave it at different tokens and are scored before that too; the last two are equal, and the
 * beginning of others.
 */
const dialogue = randomIds(40);
const branches = [16, 20, 24, 28, 32, 36, 36].map((length, i): TokenExample => {
  const ids = Int32Array.of(...dialogue.slice(0, length), ...randomIds(i < 5 ? 6 : 0));
  return {
    ids,
    targets: Int32Array.of(...dialogue.slice(1, length), ...randomIds(ids.length - length + 1)),
    weights: Float32Array.from(ids, (_, t) => Number(t > 8 && t % 4 !== 0)),
  };
});
const examples = [...answers, ...branches];
const withValues = examples.map((example) => ({
  ...example,
  valueWeights: example.weights.map((w, t) => (w !== 0 && t % 2 === 0 ? 1 : 0)),
}));
const countOf = (of: 'weights' | 'valueWeights') =>
  withValues.reduce((sum, example) => sum + example[of].filter((weight) => weight !== 0).length, 0);
const [N, M] = [countOf('weights'), countOf('valueWeights')];
const numbers = (count: number, mean = 0, deviation = 1) =>
  Float32Array.from({ length: count }, () => mean + deviation * rng.normal());

const base = {
  oldLogprobs: numbers(N, -3.5, 0.5),
  refLogprobs: numbers(N, -3.5, 0.5),
  advantages: numbers(N),
  weights: Float32Array.from({ length: N }, (_, t) => 1 / (1 + (t % 5))),
  klCoefficient: 0.3,
  entropyCoefficient: 0.2,
  scalars: { low: 0.8, high: 1.28 },
};
const plain: SurrogateForm = {
  policy: 'clip',
  isWide: false,
  dualClip: null,
  klEstimator: null,
  hasEntropyBonus: false,
  valueClip: null,
};
const values = { oldValues: numbers(M, 0, 0.1), returns: numbers(M), coefficient: 0.5 };

/** Computes the same loss with core's functions. */
function hostLoss({ logprobs, entropies, values: found }: ScoredTokens, loss: SurrogateLoss): TokenLoss {
  const { form, weights } = loss;
  const terms: { loss: TokenLoss; coefficient: number }[] = [
    {
      loss: ppoClipLoss({ logprobs, ...loss }, { clipLow: 0.2, clipHigh: 0.28, dualClip: form.dualClip }),
      coefficient: 1,
    },
  ];
  if (form.klEstimator)
    terms.push({
      loss: klPenalty({ logprobs, refLogprobs: loss.refLogprobs!, weights }, form.klEstimator),
      coefficient: loss.klCoefficient,
    });
  if (form.hasEntropyBonus)
    terms.push({ loss: entropyBonus(entropies, weights), coefficient: loss.entropyCoefficient });
  if (form.valueClip !== null) {
    const means = found.map(() => 1 / M);
    const { gradient, ...rest } = clippedValueLoss(
      { values: found, ...values, weights: means },
      { clipRange: form.valueClip },
    );
    const own = { loss: rest.loss, gradient: new Float32Array(N), valueGradient: gradient };
    terms.push({ loss: own, coefficient: values.coefficient });
  }
  return weightedSum(...terms);
}

async function scorerOf(config: Record<string, unknown>, checkpointing = false) {
  const architecture = architectureFor(config);
  const start = initializeParameters(architecture.parameters, new Rng(1));
  const wide = new Rng(2); // large weights, so that attention is far from uniform
  for (const { data, shape } of Object.values(start))
    if (shape.length === 2) data.forEach((_, i) => (data[i] = 0.4 * wide.normal()));
  const parameters = await device.createState(start);
  const gradients = await device.createZeros(
    Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])),
  );
  const scorer = new TokenScorer({
    device,
    architecture,
    parameters,
    maskedTokenIds: [],
    padTokenId: 0,
    checkpointing,
  });
  return { scorer, gradients, wide };
}

async function gradientsOf(
  config: Record<string, unknown>,
  loss: SurrogateLoss,
  isInGraph: boolean,
  restrict: (examples: TokenExample[]) => TokenExample[] = (same) => same,
) {
  const { scorer, gradients, wide } = await scorerOf(config);
  const hasValues = loss.form.valueClip !== null;
  if (hasValues) {
    const head = Object.entries(valueHeadParameters(16)).map(([name, shape]) => [
      name,
      { shape, data: Float32Array.from({ length: shape[1] ?? 1 }, () => 0.3 * wide.normal()) },
    ]);
    const weights = await device.createState(Object.fromEntries(head));
    const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
    scorer.valueHead = { parameters: weights, optimizer: await createOptimizer(device, weights, adam) };
  }
  let scored: ScoredTokens | undefined;
  await scorer.accumulateLogprobGradients(
    restrict(hasValues ? withValues : examples),
    (tokens) => hostLoss((scored = tokens), loss),
    gradients,
    { entropies: true, maxTokens: 100, ...(isInGraph && { surrogate: loss }) },
  );
  const heads = hasValues ? await device.read(scorer.valueHead!.optimizer.gradients) : {};
  return { scored: scored!, gradients: { ...(await device.read(gradients)), ...heads } };
}

test('tokens that several examples begin with are in their batch once', () => {
  const batches = tokenBatches(examples, { maxTokens: 100, padTokenId: 0, sharesPrefixes: true });
  const sizes = batches.map(({ tree, ids, rows }) => [tree ? ids.length : 0, rows]);
  // The dialogue has 36 tokens, and five branches six more; answers have 4, 6, 8 and 10 tokens, of which the last one is not read.
  expect(sizes.sort((a, b) => a[0] - b[0])).toEqual([
    [0, 2],
    [36 + 5 * 6, 7],
    [44 + 28 - 1, 4],
    [44 + 28, 4],
  ]);
});

test.each(Object.keys(architectures) as (keyof typeof architectures)[])(
  '%s: log-probabilities are the same where what examples begin with is computed once',
  async (name) => {
    const { scorer } = await scorerOf(architectures[name]);
    const compile = jest.spyOn(device, 'compile');
    const [wanted, got] = [await scorer.logprobs(examples), await scorer.logprobs(examples, { sharesPrefixes: true })];
    const shares = compile.mock.calls.map(([graph]) => graph.inputs.has('tree_positions'));
    compile.mockRestore();
    expect(shares.sort()).toEqual([false, true]);
    wanted.forEach((row, i) => row.forEach((logprob, t) => expect(got[i][t]).toBeCloseTo(logprob, 4)));
    await scorer.release();
  },
);

test.each([
  ...(Object.keys(architectures) as (keyof typeof architectures)[]).map((name) => [name, false] as const),
  ['gpt2', true] as const,
])(
  '%s: the likelihood and its gradient are the same where what examples begin with is computed once; blocks recomputed: %s',
  async (name, checkpointing) => {
    const { scorer, gradients } = await scorerOf(architectures[name], checkpointing);
    const compile = jest.spyOn(device, 'compile');
    const weighted = examples.map((example, i) => ({ ...example, weights: example.weights.map((w) => w / (i + 1)) }));
    const found = [];
    for (const sharesPrefixes of [false, true]) {
      const { loss } = await scorer.accumulateGradients(weighted, gradients, { sharesPrefixes });
      found.push({ loss, gradients: await device.read(gradients) });
    }
    const shares = compile.mock.calls.map(([graph]) => graph.inputs.has('tree_positions'));
    compile.mockRestore();
    expect(shares.sort()).toEqual([false, true]);
    const [alone, both] = found;
    expect(both.loss / alone.loss).toBeCloseTo(1, 5);
    for (const [parameter, { data }] of Object.entries(alone.gradients)) {
      // The second pass has added its gradients to those of the first.
      const [first, sum] = [data as Float32Array, both.gradients[parameter].data as Float32Array];
      const largest = Math.max(...first.map(Math.abs), 1e-3);
      expect(Math.max(...first.map((x, i) => Math.abs(sum[i] - 2 * x))) / largest).toBeLessThan(5e-5);
    }
    await scorer.release();
  },
);

test.each([
  // Two layers with a softmax for each chunk, and the head's.
  ['the prompt', 1030, 20, 2 * 4 + 1],
  ['what follows, of which 2,058 tokens are scored', 800, 1030, 2 * 4 + 2],
])('attention over long sequences is cut into chunks: %s', async (_, promptTokens, tokens, count) => {
  const name = 'gemma2, windows and soft caps';
  const { scorer } = await scorerOf({ ...architectures[name], max_position_embeddings: 1900 });
  const prompt = randomIds(promptTokens);
  const long = Array.from({ length: 2 }, (): TokenExample => {
    const ids = Int32Array.of(...prompt, ...randomIds(tokens));
    return {
      ids,
      targets: randomIds(ids.length),
      weights: Float32Array.from(ids, (_id, t) => Number(t > promptTokens)),
    };
  });
  const compile = jest.spyOn(device, 'compile');
  const shared = await scorer.logprobs(long, { sharesPrefixes: true });
  const alone = await scorer.logprobs(long);
  const softmaxes = compile.mock.calls.map(([g]) => g.nodes.filter(({ op }) => op.opType === 'Softmax').length);
  compile.mockRestore();
  expect(softmaxes).toEqual([count, count]);
  shared.forEach((row, i) => row.forEach((logprob, t) => expect(alone[i][t]).toBeCloseTo(logprob, 4)));
  await scorer.release();
});

const forms: [string, keyof typeof architectures, Partial<SurrogateForm>][] = [
  ['clip', 'gpt2', {}],
  ['dual clip, k3', 'llama, queries in groups', { dualClip: 1.5, klEstimator: 'k3' }],
  ['k2, entropy bonus', 'gemma2, windows and soft caps', { klEstimator: 'k2', hasEntropyBonus: true }],
  ['k1', 'bloom, biases of positions', { klEstimator: 'k1' }],
  ['k3', 'smeared llama, keys of three tokens', { klEstimator: 'k3' }],
  ['dual clip', 'lfm2, a short convolution', { dualClip: 1.5 }],
  ['entropy bonus', 'qwen 3 next, a gated delta rule', { hasEntropyBonus: true }],
  ['clipped values', 'gpt2', { valueClip: 0.2, hasEntropyBonus: true }],
  ['values', 'llama, queries in groups', { valueClip: Infinity }],
];

/** Masks every other token: only three tokens were allowed. */
const masked = (all: readonly TokenExample[]): TokenExample[] =>
  all.map((example) => ({
    ...example,
    tokenMasks: [...example.targets].map((id, t) => (t % 2 === 0 ? tokenMaskOf([id, 1, 2]) : undefined)),
  }));

type Restriction = (all: readonly TokenExample[]) => TokenExample[];
const restrictedForms: [string, keyof typeof architectures, Partial<SurrogateForm>, Restriction][] = [
  ['k2 and values among some tokens', 'gpt2', { klEstimator: 'k2', hasEntropyBonus: true, valueClip: 0.2 }, masked],
  ['k2 and an entropy bonus under masks', 'gpt2', { klEstimator: 'k2', hasEntropyBonus: true }, masked],
];

test.each([...forms.map((form) => [...form, undefined] as const), ...restrictedForms])(
  '%s: %s',
  async (_, architecture, form, restrict) => {
    const loss = { ...base, form: { ...plain, ...form }, ...(form.valueClip !== undefined && { values }) };
    const apart = await gradientsOf(architectures[architecture], loss, false, restrict);
    const inGraph = await gradientsOf(architectures[architecture], loss, true, restrict);
    for (const [name, found] of Object.entries(inGraph.scored) as [keyof ScoredTokens, Float32Array][])
      expect(Math.max(...found.map((x, i) => Math.abs(x - apart.scored[name][i])))).toBeLessThan(3e-5);
    for (const [name, { data }] of Object.entries(apart.gradients)) {
      const [mine, theirs] = [inGraph.gradients[name].data as Float32Array, data as Float32Array];
      const largest = Math.max(...theirs.map(Math.abs), 1e-3);
      expect(Math.max(...theirs.map((x, i) => Math.abs(x - mine[i]))) / largest).toBeLessThan(3e-5);
    }
  },
);
