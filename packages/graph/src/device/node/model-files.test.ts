// Tests weights in files beside the model: they are written once for all models that name them, and deleted with the device.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GraphBuilder } from '../../builder.js';
import { serializeModel } from '../../serialize.js';
import { ModelFiles } from './model-files.js';

function graphOf(weight: Float32Array): GraphBuilder {
  const g = new GraphBuilder('product');
  g.output('y', g.matMul(g.input('x', 'float32', ['rows', 2]), g.initializer('w', weight, [2, 2])));
  return g;
}

const write = (files: ModelFiles, weight: Float32Array) =>
  files.write((fileOf) => serializeModel(graphOf(weight), { externalBytes: 1, fileOf }).bytes);

test('a weight of two models is one file; release deletes all', () => {
  const files = new ModelFiles();
  const weight = Float32Array.of(1, 2, 3, 4);
  const [first, second] = [write(files, weight), write(files, weight)];
  const directory = dirname(first);
  expect(dirname(second)).toBe(directory);
  expect(readdirSync(directory).sort()).toEqual(['1.bin', 'model-1.onnx', 'model-2.onnx']);
  expect([...readFileSync(join(directory, '1.bin'))]).toEqual([...new Uint8Array(weight.buffer)]);
  expect(readFileSync(first).includes('1.bin')).toBe(true);
  write(files, weight.slice());
  expect(readdirSync(directory)).toContain('2.bin');
  files.release();
  expect(existsSync(directory)).toBe(false);
});

test('only large weights are worth a file', () => {
  const of = (mebibytes: number) => ({ byteLength: mebibytes << 20 });
  expect(ModelFiles.isWorthIt([of(63)])).toBe(false);
  expect(ModelFiles.isWorthIt([of(63), of(1)])).toBe(true);
});
