// Tests faults and gaps of ONNX Runtime that this package works around, so that an upgrade shows whether they have been repaired
// or have returned. ONNX Runtime runs in a separate process, since it rejects the typed arrays of Jest's realm.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protobuf } from '@bowyer/core';
import { newFolder, when } from '@bowyer/testing';
import { GraphBuilder } from '../../builder.js';
import { onnx } from '../../onnx-messages.js';
import { modelMessage } from '../../serialize.js';
import { onnxRuntimePath } from './onnx-runtime.js';
import { webgpuAvailable } from './provider-probe.js';

const SIZE = 128;

/**
 * A program that prints the smallest CPU time, in ms, of several runs of a product of matrices of ones, without the first run; or
 * the error of opening the model.
 */
const PROGRAM = `
const [runtime, file, type, size] = process.argv.slice(1);
const { InferenceSession, Tensor } = require(runtime);
async function main() {
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1 });
  const data = type === 'float32' ? new Float32Array(size * size).fill(1) : new Uint16Array(size * size).fill(0x3c00);
  const matrix = () => new Tensor(type, data, [+size, +size]);
  const times = [];
  for (let i = 0; i < 6; i++) {
    const before = process.cpuUsage();
    await session.run({ a: matrix(), b: matrix() });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return { milliseconds: Math.min(...times.slice(1)) };
}
main().catch((error) => ({ error: error.message })).then((found) => console.log(JSON.stringify(found)));
`;

const codes = { float32: 1, float16: 10, bfloat16: 16 };

/** Writes the model of a product of two matrices. */
function productFile(type: keyof typeof codes): string {
  const g = new GraphBuilder('product');
  const [a, b] = ['a', 'b'].map((name) => g.input(name, 'float32', [SIZE, SIZE]));
  g.output('y', g.matMul(a, b));
  const { model } = modelMessage(g);
  for (const values of [model.graph.input, model.graph.output])
    for (const { type: own } of values ?? []) own!.tensorType!.elemType = codes[type];
  const file = join(newFolder(), 'product.onnx');
  writeFileSync(file, protobuf.encode(onnx.model, model));
  return file;
}

function asked(type: keyof typeof codes): { milliseconds?: number; error?: string } {
  const file = productFile(type);
  const given = ['-e', PROGRAM, onnxRuntimePath(), file, type, String(SIZE)];
  return JSON.parse(execFileSync(process.execPath, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

// Checks that a fault of release 1.29 has not returned, in which a float16 product took thousands of times as long:
// https://github.com/microsoft/onnxruntime/issues/32255
test('a float16 product takes less than 200 times the CPU time of a float32 one', () => {
  const [single, half] = [asked('float32').milliseconds!, asked('float16').milliseconds!];
  expect(half).toBeLessThan(200 * Math.max(single, 0.1));
});

// Because of this gap, weights in bfloat16 are converted to float32 when they are read:
// https://github.com/microsoft/onnxruntime/issues/28768
test('the CPU provider has no bfloat16 product', () => {
  expect(asked('bfloat16').error).toMatch('Could not find an implementation for MatMul');
});

/** A program that multiplies on the GPU in a given number of threads at the same time, and prints each product's first number. */
const ON_GPU = `
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const [program, runtime, file, size, threads] = isMainThread ? process.argv.slice(1) : workerData;
async function main() {
  const { InferenceSession, Tensor } = require(runtime);
  const session = await InferenceSession.create(file, { executionProviders: ['webgpu'] });
  const matrix = () => new Tensor('float32', new Float32Array(size * size).fill(1), [+size, +size]);
  let found;
  for (let i = 0; i < 50; i++) found = Object.values(await session.run({ a: matrix(), b: matrix() }))[0].data[0];
  process.stdout.write(found + "\\n"); // console.log colours numbers under FORCE_COLOR
}
if (!isMainThread) main();
else for (let i = 0; i < threads; i++) new Worker(program, { eval: true, workerData: [program, runtime, file, size] });
`;

// Because of this fault, the devices of a process use a GPU one at a time: https://github.com/microsoft/onnxruntime/issues/32561
// and 27592
when(await webgpuAvailable(), 'no WebGPU adapter').test(
  'two sessions at once on WebGPU end the process, and one does not',
  () => {
    const file = productFile('float32');
    const ran = (threads: number) => {
      const given = ['-e', 'eval(process.argv[1])', ON_GPU, onnxRuntimePath(), file, String(SIZE), String(threads)];
      const { signal, stdout } = spawnSync(process.execPath, given, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { signal, stdout };
    };
    expect(ran(1)).toEqual({ signal: null, stdout: `${SIZE}\n` });
    expect(ran(2).signal).toMatch(/^SIG/);
  },
);
