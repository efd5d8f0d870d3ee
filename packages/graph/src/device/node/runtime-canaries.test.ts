// Canaries for an upgrade of ONNX Runtime: what an earlier version did badly, and what none does, so that the product goes around it.
// The runtime is asked in a process of its own, since it does not take the arrays of a test's realm.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protobuf } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { GraphBuilder } from '../../builder.js';
import { onnx } from '../../onnx-messages.js';
import { modelMessage } from '../../serialize.js';
import { onnxRuntimePath } from './onnx-runtime.js';

const SIZE = 128;

/** Prints the least CPU time of a product of matrices of ones in ms, its first run left out, or the error of opening the model. */
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

function asked(type: keyof typeof codes): { milliseconds?: number; error?: string } {
  const g = new GraphBuilder('product');
  const [a, b] = ['a', 'b'].map((name) => g.input(name, 'float32', [SIZE, SIZE]));
  g.output('y', g.matMul(a, b));
  const { model } = modelMessage(g);
  for (const values of [model.graph.input, model.graph.output])
    for (const { type: own } of values ?? []) own!.tensorType!.elemType = codes[type];
  const file = join(newFolder(), 'product.onnx');
  writeFileSync(file, protobuf.encode(onnx.model, model));
  const given = ['-e', PROGRAM, onnxRuntimePath(), file, type, String(SIZE)];
  return JSON.parse(execFileSync(process.execPath, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

// https://github.com/microsoft/onnxruntime/issues/32255: 1.29 took thousands of times as long.
test('a float16 product takes less than 200 times the CPU time of a float32 one', () => {
  const [single, half] = [asked('float32').milliseconds!, asked('float16').milliseconds!];
  expect(half).toBeLessThan(200 * Math.max(single, 0.1));
});

// https://github.com/microsoft/onnxruntime/issues/28768: weights in bfloat16 become float32 when they are read, therefore.
test('the CPU provider has no bfloat16 product', () => {
  expect(asked('bfloat16').error).toMatch('Could not find an implementation for MatMul');
});
