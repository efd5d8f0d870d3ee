// Tests weights in files beside the model: they are written once for all models that name them, and deleted with the device.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GraphBuilder } from '../../builder.js';
import { serializeModel } from '../../serialize.js';
import { openDevice } from '../device.js';
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

test('a stored tensor is empty here, and sessions and readers get its elements from the file', async () => {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    expect(device.frozenStore((64 << 20) - 1)).toBeNull();
    const weight = Float32Array.of(1, 2, 3, 4);
    const stored = device.frozenStore(64 << 20)!(weight);
    expect(weight.length).toBe(0);
    expect([...new Float32Array(new Uint8Array(stored.read()).buffer)]).toEqual([1, 2, 3, 4]);
    const g = new GraphBuilder('product');
    const x = g.input('x', 'float32', ['rows', 2]);
    g.output('y', g.matMul(x, g.initializer('w', stored, [2, 2], 'float32')));
    const program = await device.compile(g);
    const { y } = await program.run({ inputs: { x: { dims: [1, 2], data: Float32Array.of(1, 10) } } });
    expect([...(y.data as Float32Array)]).toEqual([31, 42]);
  } finally {
    await device.close();
  }
});
