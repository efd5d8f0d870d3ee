// Tests the transformer critic, and the checkpoints of encoders; recorded-encoders.test.ts compares their numbers with PyTorch's.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic } from '../src/critic/double-critic.js';
import { TransformerEncoder } from '../src/critic/transformer-encoder.js';
import { encoderConfigFromJson, encoderConfigToJson, type EncoderConfig } from '../src/encoder/encoder-config.js';
import { layerNames } from '../src/encoder/encoder-names.js';
import { truncateLeft } from '../src/encoder/encoder-tokens.js';
import { encoderShapes, initializeEncoder, loadEncoder, saveEncoder } from '../src/encoder/encoder-weights.js';
import { writeWeights, type HostTensors } from '@bowyer/checkpoints';
import { HuggingFaceTokenizer, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';

const tiny: EncoderConfig = {
  modelType: 'bert',
  vocabSize: 23,
  hiddenSize: 16,
  numLayers: 2,
  numHeads: 4,
  intermediateSize: 24,
  maxPositions: 20,
  typeVocabSize: 2,
  layerNormEps: 1e-12,
  padTokenId: 0,
  activation: 'gelu',
};
const roberta: EncoderConfig = { ...tiny, modelType: 'roberta', padTokenId: 1, typeVocabSize: 1, layerNormEps: 1e-5 };

const device = await openDevice({ device: 'cpu', threads: 2 });
afterAll(() => device.close());

/** Draws weights and biases ten times as large as start weights, so that every part has a visible effect. */
function loudWeights(config: EncoderConfig, seed = 0): HostTensors {
  const rng = new Rng(seed);
  const tensors = initializeEncoder(rng, config, { pooler: true });
  for (const { data } of Object.values(tensors)) for (let i = 0; i < data.length; i++) data[i] += 0.2 * rng.normal();
  return tensors;
}

/** Makes a tokenizer like BERT's, with a begin and an end token around the text. */
function tokenizerWithSpecials(texts: string[]): HuggingFaceTokenizer {
  const plain = wordLevelTokenizer(texts);
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const definition = {
    ...plain.definition,
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('<unk>'), { Sequence: { id: 'A', type_id: 0 } }, special('<eos>')],
      pair: [],
      special_tokens: Object.fromEntries(
        [
          ['<unk>', 2],
          ['<eos>', 1],
        ].map(([id, n]) => [id, { id, ids: [n], tokens: [id] }]),
      ),
    },
  };
  return new HuggingFaceTokenizer(definition, plain.config);
}
const dialogue = 'is it big? yes\nis it red? no\n';
const tokenizer = tokenizerWithSpecials([dialogue]);

test('a long text loses its beginning and keeps begin and end tokens', () => {
  const ids = tokenizer.encode(dialogue);
  expect(truncateLeft(tokenizer, dialogue, 100)).toEqual([2, ...ids, 1]);
  expect(truncateLeft(tokenizer, dialogue, 6)).toEqual([2, ...ids.slice(-4), 1]);
});

describe('the transformer critic', () => {
  const config = { ...tiny, vocabSize: tokenizer.vocabSize };
  const optimizer = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const options = { config, tokenizer, stateFeature: 'pooler', maxLength: 20, batchTokens: 64 } as const;
  const newCritic = (weights?: HostTensors) =>
    DoubleCritic.create({
      device,
      encoder: new TransformerEncoder({ ...options, weights }),
      rng: new Rng(1),
      outputBias: 0,
      optimizer,
    });
  const observations = [dialogue, 'is it red? no\n', 'is it', dialogue + dialogue, 'no'];
  const actions = ['is it big?', 'is it red?', 'yes', 'no', 'is it big?'];

  test('batches by length give the values, losses and gradients of one padded batch', async () => {
    const rng = new Rng(3);
    const words = (count: number) =>
      Array.from({ length: count }, () => rng.choice(['is it', 'big?', 'red?'])).join(' ');
    const texts = Array.from({ length: 24 }, () => ({
      observation: words(rng.integer(1, 9)),
      action: words(rng.integer(1, 3)),
    }));
    const targets = Float32Array.from(texts, () => rng.normal());
    const batch = {
      observations: texts.map(({ observation }) => observation),
      actions: texts.map(({ action }) => action),
      q1Targets: targets,
      q2Targets: targets,
      v1Targets: targets,
      v2Targets: targets,
    };
    const passes = (batchTokens: number) => {
      const encoder = new TransformerEncoder({ ...options, batchTokens, weights: loudWeights(config) });
      const batches = encoder.feeds(batch.observations, batch.actions, (size) => size).length;
      return { encoder, batches };
    };
    const run = async ({ encoder }: ReturnType<typeof passes>) => {
      const critic = await DoubleCritic.create({ device, encoder, rng: new Rng(1), outputBias: 0, optimizer });
      const losses = await critic.accumulateGradients(batch);
      const { q1, v2 } = await critic.evaluate(batch.observations, batch.actions, 'target');
      return { losses, q1, v2, gradients: await device.read(critic.optimizer.gradients) };
    };
    const [many, one] = [passes(64), passes(Infinity)];
    expect(many.batches).toBeGreaterThan(5);
    expect(one.batches).toBeLessThan(4);
    const [parts, whole] = [await run(many), await run(one)];
    expect(parts.losses.q1Loss).toBeCloseTo(whole.losses.q1Loss, 5);
    expect(parts.losses.v2Loss).toBeCloseTo(whole.losses.v2Loss, 5);
    for (const key of ['q1', 'v2'] as const) parts[key].forEach((x, i) => expect(x).toBeCloseTo(whole[key][i], 5));
    for (const [name, { data }] of Object.entries(whole.gradients)) {
      const found = parts.gradients[name].data as Float32Array;
      const difference = Math.hypot(...(data as Float32Array).map((x, i) => x - found[i]));
      expect({ name, close: difference <= 1e-4 * (1e-3 + Math.hypot(...(data as Float32Array))) }).toEqual({
        name,
        close: true,
      });
    }
  });

  test('saved in Hugging Face layout, another critic starts from the same encoder', async () => {
    const dir = newFolder();
    const critic = await newCritic(loudWeights(config));
    await critic.savePretrained(dir);
    const encoder = await TransformerEncoder.load(dir, {
      stateFeature: 'pooler',
      maxLength: 20,
      batchTokens: 64,
      rng: new Rng(0),
    });
    const other = await DoubleCritic.create({ device, encoder, rng: new Rng(1), outputBias: 0, optimizer });
    // The heads are equal only if neither encoder has drawn from the seed.
    expect(await other.evaluate(observations, actions, 'online')).toEqual(
      await critic.evaluate(observations, actions, 'online'),
    );
  });
});

test('roberta-base has 124,645,632 weights, bert-base-uncased 109,482,240', () => {
  const base = { ...roberta, hiddenSize: 768, numLayers: 12, numHeads: 12, intermediateSize: 3072 };
  const size = (config: EncoderConfig) =>
    Object.values(encoderShapes(config, { pooler: true })).reduce(
      (sum, shape) => sum + shape.reduce((a, b) => a * b),
      0,
    );
  expect(size({ ...base, vocabSize: 50_265, maxPositions: 514 })).toBe(124_645_632);
  expect(size({ ...base, modelType: 'bert', typeVocabSize: 2, vocabSize: 30_522, maxPositions: 512 })).toBe(
    109_482_240,
  );
});

test('layers of ALBERT take the weights of their group in turn', () => {
  const albert = { embeddingSize: 8, numGroups: 2, layersPerGroup: 2 };
  const layers = [0, 1].flatMap((group) =>
    [0, 1].map((layer) => `encoder.albert_layer_groups.${group}.albert_layers.${layer}`),
  );
  expect(layerNames({ ...tiny, modelType: 'albert', albert })).toEqual(layers);
});

describe('checkpoints of encoders', () => {
  let dir: string;
  beforeEach(() => (dir = newFolder()));
  const rng = new Rng(0);

  test('what is saved is loaded, settings and weights', async () => {
    const tensors = loudWeights(roberta);
    await saveEncoder(dir, roberta, tensors);
    expect(await loadEncoder(dir, { pooler: true, rng })).toEqual({ config: roberta, tensors });
    expect(encoderConfigFromJson(encoderConfigToJson(tiny))).toEqual(tiny);
  });

  test('a checkpoint of a masked LM with old names: prefix and head go, gamma and beta are renamed, the pooler is fresh', async () => {
    const { 'pooler.dense.weight': _w, 'pooler.dense.bias': _b, ...tensors } = loudWeights(roberta);
    const old = Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => [
        `roberta.${name.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta')}`,
        tensor,
      ]),
    );
    await saveEncoder(dir, roberta, {});
    await writeWeights(dir, { ...old, 'lm_head.bias': { shape: [3], data: new Float32Array(3) } });
    const { tensors: loaded } = await loadEncoder(dir, { pooler: true, rng });
    expect(loaded).toMatchObject(tensors);
    expect(Object.keys(loaded)).toHaveLength(Object.keys(tensors).length + 2);
    const { data } = loaded['pooler.dense.weight'];
    const deviation = Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
    expect(deviation).toBeCloseTo(0.02, 2);
  });

  test('a missing weight and one of another shape are named', async () => {
    const tensors = loudWeights(tiny);
    const { 'embeddings.LayerNorm.bias': _, ...rest } = tensors;
    await saveEncoder(dir, tiny, rest);
    await expect(loadEncoder(dir, { pooler: true, rng })).rejects.toThrow(
      "its weights have no tensor 'embeddings.LayerNorm.bias'",
    );
    await saveEncoder(dir, { ...tiny, hiddenSize: 8 }, tensors);
    await expect(loadEncoder(dir, { pooler: true, rng })).rejects.toThrow(
      "'embeddings.word_embeddings.weight' has shape [23, 16], config.json specifies [23, 8]",
    );
  });

  test.each([
    [
      { model_type: 'gpt2' },
      'config.json: model_type is "gpt2"; a critic\'s encoder can be bert, roberta, xlm-roberta, camembert, albert, distilbert, electra, deberta-v2, modernbert',
    ],
    [{ model_type: 'bert' }, /^config.json of a 'bert' model: hidden_size must be a positive integer, not undefined$/],
    [
      { ...encoderConfigToJson(tiny), num_attention_heads: 3 },
      'hidden_size is 16, not a multiple of num_attention_heads 3',
    ],
    [
      { ...encoderConfigToJson(tiny), hidden_act: 'mish' },
      'hidden_act is "mish", which is not supported; known: silu, swish, gelu',
    ],
  ])('config %#', (json, message) => {
    expect(() => encoderConfigFromJson(json)).toThrow(message);
  });
});
