// DistilBERT, and MiniLM and DistilRoBERTa as their checkpoints are: loaded into a critic and saved back.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic } from '../src/critic/double-critic.js';
import { TransformerEncoder } from '../src/critic/transformer-encoder.js';
import { encoderConfigFromJson, type EncoderConfig } from '../src/encoder/encoder-config.js';
import { encoderShapes } from '../src/encoder/encoder-weights.js';
import { filled } from '../src/layers/linear.js';
import { readWeights, writeWeights, type HostTensors } from '@bowyer/checkpoints';
import { wordLevelTokenizer } from '@bowyer/text';

const observations = ['is it big? yes\nis it red? no\n', 'is it red? no\n', 'no'];
const tokenizer = wordLevelTokenizer(observations);
const common = { vocab_size: tokenizer.vocabSize, max_position_embeddings: 24 };
const sizes = { hidden_size: 16, num_attention_heads: 4, intermediate_size: 24 };

/** config.json and the prefix before each weight's name, as the published checkpoints have them. */
const checkpoints = {
  DistilBERT: {
    config: {
      ...common,
      model_type: 'distilbert',
      dim: 16,
      n_layers: 2,
      n_heads: 4,
      hidden_dim: 24,
      activation: 'gelu',
      pad_token_id: 0,
      sinusoidal_pos_embds: false,
      tie_weights_: true,
    },
    prefix: 'distilbert.',
    other: 'vocab_transform.bias',
    layers: 'transformer.layer.',
  },
  MiniLM: {
    config: { ...common, ...sizes, model_type: 'bert', num_hidden_layers: 6, type_vocab_size: 2, pad_token_id: 0 },
    prefix: '',
    other: 'embeddings.position_ids',
    layers: 'encoder.layer.',
  },
  DistilRoBERTa: {
    config: {
      ...common,
      ...sizes,
      model_type: 'roberta',
      num_hidden_layers: 6,
      type_vocab_size: 1,
      pad_token_id: 1,
      layer_norm_eps: 1e-5,
    },
    prefix: 'roberta.',
    other: 'lm_head.bias',
    layers: 'encoder.layer.',
  },
};

let device: Device;
let dir: string;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 2 });
});
afterAll(() => device.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bowyer-encoder-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Draws large random weights without a pooler, so that every one has a visible effect. */
function loudWeights(config: EncoderConfig): HostTensors {
  const rng = new Rng(5);
  return Object.fromEntries(
    Object.entries(encoderShapes(config, { pooler: false })).map(([name, shape]) => [
      name,
      filled(shape, () => (/norm\.weight$/i.test(name) ? 1 : 0) + 0.2 * rng.normal()),
    ]),
  );
}

const load = async () =>
  DoubleCritic.create({
    device,
    encoder: await TransformerEncoder.load(dir, {
      stateFeature: 'pooler',
      maxLength: 20,
      batchTokens: 128,
      rng: new Rng(7),
    }),
    rng: new Rng(1),
    outputBias: 0,
    optimizer: { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 },
  });

describe.each(Object.entries(checkpoints))('%s', (_, { config: json, prefix, other, layers }) => {
  const config = encoderConfigFromJson(json);
  const tensors = loudWeights(config);
  beforeEach(async () => {
    const stored = Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
    await writeWeights(dir, { ...stored, [other]: filled([3], () => 0) });
    await writeFile(join(dir, 'config.json'), JSON.stringify(json));
    await tokenizer.save(dir);
  });

  test('saved back it has the same weights under the same names, and a fresh pooler where the critic uses one', async () => {
    const critic = await load();
    await critic.savePretrained(dir);
    const { 'pooler.dense.weight': pooler, 'pooler.dense.bias': _bias, ...rest } = await readWeights(dir);
    const own = Object.fromEntries(Object.entries(rest).filter(([name]) => name in tensors));
    expect(own).toEqual(tensors);
    expect(Object.keys(own).some((name) => name.startsWith(`${layers}1.`))).toBe(true);
    expect(pooler.shape).toEqual([16, 16]);
    const saved: unknown = JSON.parse(await readFile(join(dir, 'config.json'), 'utf8'));
    const { tie_weights_: _tie, sinusoidal_pos_embds: _positions, ...kept } = json as Record<string, unknown>;
    expect(saved).toMatchObject(kept);
  });
});
