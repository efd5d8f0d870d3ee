// Compares tiny random encoders with outputs and gradients from PyTorch; make-reference-checkpoints.py made both.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { gradients, GraphBuilder, openDevice } from '@bowyer/graph';
import type { EncoderConfig } from '../src/encoder/encoder-config.js';
import { encoderHiddenStates, textFeature } from '../src/encoder/encoder-graph.js';
import { tokenMatrix } from '../src/encoder/encoder-tokens.js';
import { loadEncoder } from '../src/encoder/encoder-weights.js';
import { parameterInputs } from '../src/layers/linear.js';
import { readSafetensors, type HostTensors } from '@bowyer/checkpoints';

interface Reference {
  lengths: number[];
  ids: number[][];
  /** The mask is 0 for padding, and for one token within the last text. */
  mask: number[][];
  loss: number;
}

const names = ['bert', 'roberta', 'distilbert', 'albert'] as const;
const folder = (name: string) => fileURLToPath(new URL(`./encoder-fixtures/${name}`, import.meta.url));
const furthest = (found: ArrayLike<number>, expected: ArrayLike<number>) =>
  Array.from(expected, (value, i) => Math.abs(found[i] - value)).reduce((a, b) => Math.max(a, b), 0);

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Builds hidden states, summaries, the loss Σ hidden · weights + Σ summary · weights, and its gradients. */
function lossGraph(config: EncoderConfig, tensors: HostTensors) {
  const g = new GraphBuilder('encoder_fixture');
  const parameters = parameterInputs(g, tensors);
  const shape = ['batch', 'tokens'];
  const mask = g.input('mask', 'float32', shape);
  const inputs = { ids: g.input('ids', 'int32', shape), positions: g.input('positions', 'int32', shape), mask };
  const hidden = encoderHiddenStates(g, parameters, config, inputs);
  const feature = config.modelType === 'distilbert' ? 'first' : 'pooler';
  const summary = textFeature(g, hidden, mask, parameters, config, feature);
  const weighted = g.mul(hidden, g.input('hidden_weights', 'float32', [...shape, config.hiddenSize]));
  const summed = g.mul(summary, g.input('summary_weights', 'float32', ['batch', config.hiddenSize]));
  const loss = g.add(g.reduceSum(weighted), g.reduceSum(summed));
  const named = Object.entries(parameters);
  const grads = gradients(
    g,
    loss,
    named.map(([, value]) => value),
  );
  named.forEach(([name], i) => g.output(`gradient of ${name}`, grads[i]));
  g.output('hidden', hidden);
  g.output('summary', summary);
  g.output('loss', loss);
  return g;
}

describe.each(names)('%s', (name) => {
  const reference = JSON.parse(readFileSync(join(folder(name), 'reference.json'), 'utf8')) as Reference;
  const texts = reference.ids.map((ids, row) => ids.slice(0, reference.lengths[row]));

  test('hidden states, summaries and all gradients are PyTorch’s, with padding and a masked token', async () => {
    const { config, tensors } = await loadEncoder(folder(name), { pooler: name !== 'distilbert', rng: new Rng(0) });
    const expected = await readSafetensors(join(folder(name), 'reference.safetensors'));
    const matrix = tokenMatrix(texts, config, { rows: texts.length, roundUp: (count) => count });
    expect([...matrix.ids]).toEqual(reference.ids.flat());
    expect(matrix.positions[0]).toBe(name === 'roberta' ? 4 : 0);
    const dims = [matrix.rows, matrix.tokens];
    const given = (key: string) => ({ dims: expected[key].shape, data: expected[key].data as Float32Array });
    const state = await device.createState(tensors);
    const outputs = await (
      await device.compile(lossGraph(config, tensors))
    ).run({
      inputs: {
        ids: { dims, data: matrix.ids },
        positions: { dims, data: matrix.positions },
        mask: { dims, data: Float32Array.from(reference.mask.flat()) },
        hidden_weights: given('hidden_weights'),
        summary_weights: given('summary_weights'),
      },
      state: Object.fromEntries(state.names.map((key) => [key, [state, key]])),
    });
    const hidden = outputs.hidden.data as Float32Array;
    reference.mask.flat().forEach((isToken, i) => {
      const row = (data: ArrayLike<number>) =>
        Array.prototype.slice.call(data, i * config.hiddenSize, (i + 1) * config.hiddenSize) as number[];
      if (isToken) expect(furthest(row(hidden), row(expected.hidden.data))).toBeLessThan(1e-5);
    });
    expect(furthest(outputs.summary.data as Float32Array, expected.summary.data)).toBeLessThan(1e-5);
    expect(Math.abs((outputs.loss.data as Float32Array)[0] - reference.loss)).toBeLessThan(1e-4);

    const stored = await readSafetensors(join(folder(name), 'gradients.safetensors'));
    expect(Object.keys(stored).sort()).toEqual(
      Object.keys(tensors)
        .map((key) => `${config.modelType}.${key}`)
        .sort(),
    );
    for (const key of Object.keys(tensors)) {
      const gradient = stored[`${config.modelType}.${key}`];
      // A key's bias changes all scores of a query by the same amount, which the softmax removes, so its gradient is only rounding.
      const tolerance = Math.max(
        1e-4 *
          furthest(
            gradient.data.map(() => 0),
            gradient.data,
          ),
        2e-5,
      );
      const found = outputs[`gradient of ${key}`];
      expect({ key, dims: found.dims }).toEqual({ key, dims: gradient.shape });
      expect({ key, close: furthest(found.data as Float32Array, gradient.data) < tolerance }).toEqual({
        key,
        close: true,
      });
    }
    await device.release(state);
  });
});
