// Compares small encoders with the results of transformers 5.18, which record-transformers.py recorded.
import { readFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
import { gradients, GraphBuilder, openDevice } from '@bowyer/graph';
import type { HostTensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { encoderConfigFromJson, encoderConfigToJson, type EncoderConfig } from '../src/encoder/encoder-config.js';
import { distanceBucket } from '../src/encoder/deberta.js';
import { encoderHiddenStates } from '../src/encoder/encoder-graph.js';
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

const device = await openDevice({ device: 'cpu', threads: 1 });
const dir = newFolder();
afterAll(() => device.close());

/** Builds hidden states, and the gradients of Σ hidden · weights. */
function lossGraph(config: EncoderConfig, tensors: HostTensors): GraphBuilder {
  const g = new GraphBuilder('recorded_encoder');
  const parameters = parameterInputs(g, tensors);
  const shape = ['batch', 'tokens'];
  const mask = g.input('mask', 'float32', shape);
  const inputs = { ids: g.input('ids', 'int32', shape), positions: g.input('positions', 'int32', shape), mask };
  const hidden = encoderHiddenStates(g, parameters, config, inputs);
  const loss = g.reduceSum(g.mul(hidden, g.input('weights', 'float32', [...shape, config.hiddenSize])));
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

async function runLoss(config: EncoderConfig, tensors: HostTensors, texts: number[][]) {
  const { rows, tokens, ids, positions, mask } = tokenMatrix(texts, config, {
    rows: texts.length,
    roundUp: (length) => length,
  });
  const dims = [rows, tokens];
  const weights = formula('loss', [rows, tokens, config.hiddenSize]);
  const masked = weights.data.map((weight, i) => weight * mask[Math.floor(i / config.hiddenSize)]);
  const state = await device.createState(tensors);
  const program = await device.compile(lossGraph(config, tensors));
  const outputs = await program.run({
    inputs: {
      ids: { dims, data: ids },
      positions: { dims, data: positions },
      mask: { dims, data: mask },
      weights: { dims: weights.shape, data: masked as Float32Array },
    },
    state: Object.fromEntries(state.names.map((name) => [name, [state, name]])),
  });
  await program.release();
  await device.release(state);
  return { tokens, data: (name: string) => outputs[name].data as Float32Array };
}

const encoders = recorded<EncoderRecording>('encoders');

test.each(encoders)('%s: hidden states and all gradients', async (_, recording) => {
  await writeFolder(dir, recording);
  const { config, tensors } = await loadEncoder(dir, { pooler: false, rng: new Rng(0) });
  expect(encoderConfigFromJson(encoderConfigToJson(config))).toEqual(config);
  const { tokens, data } = await runLoss(config, tensors, recording.texts);
  const width = config.hiddenSize;
  recording.rows.forEach(([text, place], i) => {
    const begin = (text * tokens + place) * width;
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

test.each(recorded<number[]>('deberta-buckets'))('DeBERTa puts distances into buckets: %s', (sizes, expected) => {
  const [buckets, maxDistance] = sizes.split(' ').map(Number);
  const found = expected.map((_, distance) => distanceBucket(distance, { buckets, maxDistance }));
  expect(found).toEqual(expected);
});
