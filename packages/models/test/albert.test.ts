// Compares ALBERT as a critic's encoder with PyTorch's numbers for a real checkpoint.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { GraphBuilder, openDevice } from '@bowyer/graph';
import { recordings, newFolder, whenRecorded } from '@bowyer/testing';
import type { EncoderConfig } from '../src/encoder/encoder-config.js';
import { encoderHiddenStates, textFeature } from '../src/encoder/encoder-graph.js';
import { tokenMatrix } from '../src/encoder/encoder-tokens.js';
import { initializeEncoder, loadEncoder, saveEncoder } from '../src/encoder/encoder-weights.js';
import { layerNames } from '../src/encoder/encoder-names.js';
import { parameterInputs } from '../src/layers/linear.js';

const checkpoint = recordings('models/albert-rxnmapper');

interface Reference {
  prompts: {
    input_ids: number[];
    unmasked_last_hidden_position0_first10: number[];
    unmasked_pooled_first10: number[];
  }[];
}

const device = await openDevice({ device: 'cpu', threads: 2 });
afterAll(() => device.close());

whenRecorded('models/albert-rxnmapper').test(
  "a real ALBERT: last hidden states and pooled features of padded texts are PyTorch's within 1e-3",
  async () => {
    const { prompts } = JSON.parse(readFileSync(join(checkpoint, 'reference.json'), 'utf8')) as Reference;
    const { config, tensors } = await loadEncoder(checkpoint, { pooler: true, rng: new Rng(0) });
    const g = new GraphBuilder('albert');
    const parameters = parameterInputs(g, tensors);
    const shape = ['batch', 'tokens'];
    const inputs = {
      ids: g.input('ids', 'int32', shape),
      positions: g.input('positions', 'int32', shape),
      mask: g.input('mask', 'float32', shape),
    };
    const hidden = encoderHiddenStates(g, parameters, config, inputs);
    for (const feature of ['first', 'pooler'] as const)
      g.output(feature, textFeature(g, hidden, inputs.mask, parameters, config, feature));
    const state = await device.createState(tensors);
    const matrix = tokenMatrix(
      prompts.map((prompt) => prompt.input_ids),
      config,
      { rows: prompts.length, roundUp: (n) => n + 3 },
    );
    const dims = [matrix.rows, matrix.tokens];
    const outputs = await (
      await device.compile(g)
    ).run({
      inputs: {
        ids: { dims, data: matrix.ids },
        positions: { dims, data: matrix.positions },
        mask: { dims, data: matrix.mask },
      },
      state: Object.fromEntries(state.names.map((name) => [name, [state, name]])),
    });
    let furthest = 0;
    prompts.forEach((prompt, text) => {
      for (const [feature, expected] of [
        ['first', prompt.unmasked_last_hidden_position0_first10],
        ['pooler', prompt.unmasked_pooled_first10],
      ] as const) {
        expect(expected).toHaveLength(10);
        const found = (outputs[feature].data as Float32Array).subarray(text * config.hiddenSize);
        expected.forEach((value, i) => (furthest = Math.max(furthest, Math.abs(value - found[i]))));
      }
    });
    expect(furthest).toBeLessThan(1e-3);
  },
);

const tiny: EncoderConfig = {
  modelType: 'albert',
  vocabSize: 23,
  hiddenSize: 16,
  numLayers: 4,
  numHeads: 4,
  intermediateSize: 24,
  maxPositions: 20,
  typeVocabSize: 2,
  layerNormEps: 1e-12,
  padTokenId: 0,
  activation: 'gelu_new',
  albert: { embeddingSize: 8, numGroups: 2, layersPerGroup: 1 },
};

test('layers take the weights of their group; a group may have several', () => {
  const layer = (group: number, i = 0) => `encoder.albert_layer_groups.${group}.albert_layers.${i}`;
  expect(layerNames(tiny)).toEqual([layer(0), layer(0), layer(1), layer(1)]);
  const double = { embeddingSize: 8, numGroups: 1, layersPerGroup: 2 };
  expect(layerNames({ ...tiny, numLayers: 2, albert: double })).toEqual([layer(0), layer(0, 1), layer(0), layer(0, 1)]);
});

const dir = newFolder();

test('settings and weights are saved and loaded', async () => {
  const tensors = initializeEncoder(new Rng(3), tiny, { pooler: true });
  await saveEncoder(dir, tiny, tensors);
  expect(await loadEncoder(dir, { pooler: true, rng: new Rng(9) })).toEqual({ config: tiny, tensors });
});
