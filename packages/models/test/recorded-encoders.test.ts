// Compares small encoders with PyTorch: with the results of transformers 5.18, which record-transformers.py recorded, and with fixtures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { gradients, GraphBuilder, openDevice } from '@bowyer/graph';
import { readSafetensors, type HostTensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { encoderConfigFromJson, encoderConfigToJson, type EncoderConfig } from '../src/encoder/encoder-config.js';
import { distanceBucket } from '../src/encoder/deberta.js';
import { encoderHiddenStates, textFeature } from '../src/encoder/encoder-graph.js';
import { tokenMatrix } from '../src/encoder/encoder-tokens.js';
import { loadEncoder } from '../src/encoder/encoder-weights.js';
import { parameterInputs } from '../src/layers/linear.js';
import { formula, furthest, writeFolder, type RecordedFolder } from './formula-folder.js';

interface EncoderRecording extends RecordedFolder {
  texts: number[][];
  rows: [number, number][];
  hidden: number[][];
  loss: number;
  /** The length of each gradient, and its product with a vector by a formula. */
  gradients: Record<string, [number, number]>;
}

const recorded = <T>(file: string) =>
  Object.entries(
    JSON.parse(readFileSync(new URL(`./recordings/${file}.json`, import.meta.url), 'utf8')) as Record<string, T>,
  );

type TokenMatrix = ReturnType<typeof tokenMatrix>;

const device = await openDevice({ device: 'cpu', threads: 1 });
const dir = newFolder();
afterAll(() => device.close());

/**
 * Builds hidden states, the loss Σ hidden · weights, and its gradients.
 *
 * @param feature adds a summary of each text and Σ summary · summary_weights to the loss
 */
function lossGraph(config: EncoderConfig, tensors: HostTensors, feature?: 'first' | 'pooler'): GraphBuilder {
  const g = new GraphBuilder('recorded_encoder');
  const parameters = parameterInputs(g, tensors);
  const shape = ['batch', 'tokens'];
  const mask = g.input('mask', 'float32', shape);
  const inputs = { ids: g.input('ids', 'int32', shape), positions: g.input('positions', 'int32', shape), mask };
  const hidden = encoderHiddenStates(g, parameters, config, inputs);
  let loss = g.reduceSum(g.mul(hidden, g.input('weights', 'float32', [...shape, config.hiddenSize])));
  if (feature) {
    const summary = textFeature(g, hidden, mask, parameters, config, feature);
    const weighted = g.mul(summary, g.input('summary_weights', 'float32', ['batch', config.hiddenSize]));
    loss = g.add(loss, g.reduceSum(weighted));
    g.output('summary', summary);
  }
  const names = Object.keys(tensors);
  const found = gradients(
    g,
    loss,
    names.map((name) => parameters[name]),
  );
  names.forEach((name, i) => g.output(`gradient of ${name}`, found[i]));
  g.output('hidden', hidden);
  g.output('loss', loss);
  return g;
}

interface Given {
  texts: number[][];
  /** Returns the weights of the hidden states [rows, tokens, hidden]. */
  weightsOf: (matrix: TokenMatrix) => Float32Array;
  /** The mask where it is not that of the texts. */
  mask?: Float32Array;
  /** A summary of each text, with its weights [rows, hidden]. */
  summary?: { feature: 'first' | 'pooler'; weights: Float32Array };
}

async function runLoss(config: EncoderConfig, tensors: HostTensors, { texts, weightsOf, mask, summary }: Given) {
  const matrix = tokenMatrix(texts, config, { rows: texts.length, roundUp: (length) => length });
  const { rows, tokens, ids, positions } = matrix;
  const dims = [rows, tokens];
  const state = await device.createState(tensors);
  const program = await device.compile(lossGraph(config, tensors, summary?.feature));
  const outputs = await program.run({
    inputs: {
      ids: { dims, data: ids },
      positions: { dims, data: positions },
      mask: { dims, data: mask ?? matrix.mask },
      weights: { dims: [...dims, config.hiddenSize], data: weightsOf(matrix) },
      ...(summary && { summary_weights: { dims: [rows, config.hiddenSize], data: summary.weights } }),
    },
    state: Object.fromEntries(state.names.map((name) => [name, [state, name]])),
  });
  await program.release();
  await device.release(state);
  return { matrix, data: (name: string) => outputs[name].data as Float32Array };
}

const encoders = recorded<EncoderRecording>('encoders');

test.each(encoders)('%s: hidden states and all gradients', async (_, recording) => {
  await writeFolder(dir, recording);
  const { config, tensors } = await loadEncoder(dir, { pooler: false, rng: new Rng(0) });
  expect(encoderConfigFromJson(encoderConfigToJson(config))).toEqual(config);
  const width = config.hiddenSize;
  const weightsOf = ({ rows, tokens, mask }: TokenMatrix) =>
    Float32Array.from(
      formula('loss', [rows, tokens, width]).data,
      (weight, i) => Number(weight) * mask[Math.floor(i / width)],
    );
  const { matrix, data } = await runLoss(config, tensors, { texts: recording.texts, weightsOf });
  recording.rows.forEach(([text, place], i) => {
    const begin = (text * matrix.tokens + place) * width;
    expect(furthest(data('hidden').subarray(begin, begin + width), recording.hidden[i])).toBeLessThan(3e-5);
  });
  expect(Math.abs(data('loss')[0] - recording.loss)).toBeLessThan(1e-4);
  expect(Object.keys(tensors).sort()).toEqual(Object.keys(recording.gradients).sort());
  const largest = Math.max(...Object.values(recording.gradients).map(([length]) => length));
  for (const [name, expected] of Object.entries(recording.gradients)) {
    const gradient = data(`gradient of ${name}`);
    const along = formula('gradient', tensors[name].shape).data;
    const length = Math.sqrt(gradient.reduce((sum, x) => sum + x * x, 0));
    const product = gradient.reduce((sum, x, i) => sum + x * Number(along[i]), 0);
    // A key's bias changes all scores of a query by the same amount, so its gradient is only rounding.
    const isClose = furthest([length, product], expected) < 1e-4 * expected[0] + 1e-5 * largest;
    expect({ name, isClose, found: [length, product], expected }).toMatchObject({ name, isClose: true });
  }
});

interface Reference {
  lengths: number[];
  ids: number[][];
  /** The mask is 0 for padding, and for one token within the last text. */
  mask: number[][];
  loss: number;
}

// make-reference-checkpoints.py made these encoders and PyTorch's results.
test.each(['bert', 'roberta', 'distilbert', 'albert'])(
  '%s: hidden states, summaries and all gradients are PyTorch’s, with padding and a masked token',
  async (name) => {
    const folder = fileURLToPath(new URL(`./encoder-fixtures/${name}`, import.meta.url));
    const { ids, lengths, mask, loss } = JSON.parse(readFileSync(join(folder, 'reference.json'), 'utf8')) as Reference;
    const { config, tensors } = await loadEncoder(folder, { pooler: name !== 'distilbert', rng: new Rng(0) });
    expect(encoderConfigFromJson(encoderConfigToJson(config))).toEqual(config);
    const expected = await readSafetensors(join(folder, 'reference.safetensors'));
    const given = (key: string) => expected[key].data as Float32Array;
    const { matrix, data } = await runLoss(config, tensors, {
      texts: ids.map((row, i) => row.slice(0, lengths[i])),
      mask: Float32Array.from(mask.flat()),
      weightsOf: () => given('hidden_weights'),
      summary: { feature: name === 'distilbert' ? 'first' : 'pooler', weights: given('summary_weights') },
    });
    expect([...matrix.ids]).toEqual(ids.flat());
    expect(matrix.positions[0]).toBe(name === 'roberta' ? 4 : 0);
    const rowOf = (values: Float32Array, i: number) =>
      values.subarray(i * config.hiddenSize, (i + 1) * config.hiddenSize);
    mask.flat().forEach((isToken, i) => {
      if (isToken) expect(furthest(rowOf(data('hidden'), i), rowOf(given('hidden'), i))).toBeLessThan(1e-5);
    });
    expect(furthest(data('summary'), given('summary'))).toBeLessThan(1e-5);
    expect(Math.abs(data('loss')[0] - loss)).toBeLessThan(1e-4);

    const stored = await readSafetensors(join(folder, 'gradients.safetensors'));
    const names = Object.keys(tensors).map((key) => `${config.modelType}.${key}`);
    expect(Object.keys(stored).sort()).toEqual(names.sort());
    for (const key of Object.keys(tensors)) {
      const gradient = stored[`${config.modelType}.${key}`].data;
      // A key's bias changes all scores of a query by the same amount, so its gradient is only rounding.
      const tolerance = Math.max(1e-4 * Math.max(...gradient.map(Math.abs)), 2e-5);
      const isClose = furthest(data(`gradient of ${key}`), gradient) < tolerance;
      expect({ key, isClose }).toEqual({ key, isClose: true });
    }
  },
);

test.each(recorded<number[]>('deberta-buckets'))('DeBERTa puts distances into buckets: %s', (sizes, expected) => {
  const [buckets, maxDistance] = sizes.split(' ').map(Number);
  const found = expected.map((_, distance) => distanceBucket(distance, { buckets, maxDistance }));
  expect(found).toEqual(expected);
});
