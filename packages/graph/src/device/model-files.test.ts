// Weights beside a model as files: written once for all models that name them, and deleted with the device.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GraphBuilder } from '../builder.js';
import { serializeModel } from '../serialize.js';
import { identityOf } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
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
  expect(readdirSync(directory).sort()).toEqual(['1.bin', 'model-1.onnx', 'model-2.onnx', 'process.json']);
  expect([...readFileSync(join(directory, '1.bin'))]).toEqual([...new Uint8Array(weight.buffer)]);
  expect(readFileSync(first).includes('1.bin')).toBe(true);
  write(files, weight.slice());
  expect(readdirSync(directory)).toContain('2.bin');
  files.release();
  expect(existsSync(directory)).toBe(false);
});

test('what a killed process left is removed; what a living one has is not, nor what may be of another container', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const owners = [{ ...identityOf(), pid }, identityOf(process.ppid), { ...identityOf(), pid, processes: 'pid:[1]' }];
  const directories = owners.map((owner) => {
    const directory = newFolder();
    writeFileSync(join(directory, 'process.json'), JSON.stringify(owner));
    return directory;
  });
  const files = new ModelFiles();
  try {
    write(files, Float32Array.of(1, 2, 3, 4));
    expect(directories.map((directory) => existsSync(directory))).toEqual([false, true, true]);
  } finally {
    files.release();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }
});

test('only large weights are worth a file', () => {
  const of = (bytes: number) => [{ path: 'a', data: { byteLength: bytes } as Uint8Array }];
  expect(ModelFiles.isWorthIt(of(255 << 20))).toBe(false);
  expect(ModelFiles.isWorthIt([...of(255 << 20), ...of(1 << 20)])).toBe(true);
});
