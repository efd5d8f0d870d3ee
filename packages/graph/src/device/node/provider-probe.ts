// Tests whether an execution provider of ONNX Runtime works on this machine: WebGPU with a GPU (or a software one), also in
// float16; CUDA with its files. The test runs in a child process, since a provider that does not work may crash its process.
import './disable-telemetry.js';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GraphBuilder } from '../../builder.js';
import type { Precision } from '../../dtype.js';
import { serialize } from '../../serialize.js';
import { onnxRuntimePath } from './onnx-runtime.js';

const answers = new Map<string, Promise<string | null>>();

/** Returns the reason why WebGPU cannot be used on this machine, or null if it can. It is tested once per process. */
export const webgpuProblem = (): Promise<string | null> => problemOf('webgpu');

/** Returns the reason why CUDA cannot be used on this machine, or null. If its files are missing, no test process is started. */
export async function cudaProblem(): Promise<string | null> {
  const folder = join(dirname(onnxRuntimePath()), '..', 'bin', 'napi-v6', process.platform, process.arch);
  const file = 'libonnxruntime_providers_cuda.so';
  return existsSync(join(folder, file)) ? problemOf('cuda') : `${file} is not installed`;
}

/** Returns the reason why WebGPU has no 16-bit floats in shaders on this machine, or null if it has. */
export const float16Problem = (): Promise<string | null> => problemOf('webgpu', 'float16');

/** Tests whether `openDevice({ device: 'webgpu' })` works in this precision. */
export async function webgpuAvailable(precision: Precision = 'float32'): Promise<boolean> {
  if ((await webgpuProblem()) !== null) return false;
  return precision === 'float32' || (await float16Problem()) === null;
}

function problemOf(provider: 'webgpu' | 'cuda', type: Precision = 'float32'): Promise<string | null> {
  const key = `${provider} ${type}`;
  let answer = answers.get(key);
  if (!answer) answers.set(key, (answer = probe(provider, type)));
  return answer;
}

/** Doubles a number in the type `type`, in a child process. Returns the problem, or null if the result is right. */
function probe(provider: string, type: Precision): Promise<string | null> {
  const model = Buffer.from(doublingModel(type)).toString('base64');
  const script = `
    const { InferenceSession, Tensor } = require(${JSON.stringify(onnxRuntimePath())});
    InferenceSession.create(Buffer.from('${model}', 'base64'), { executionProviders: ['${provider}'] })
      .then((session) => session.run({ x: new Tensor('float32', Float32Array.of(1), [1]) }))
      .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });`;
  const options = { timeout: 60_000, env: { ...process.env, NODE_OPTIONS: '' } };
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', script], options, (error, _out, stderr) => {
      const reason = stderr
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^Non-zero status code.*Status Message: /, '');
      resolve(error ? reason || error.message : null);
    });
  });
}

function doublingModel(type: Precision): Uint8Array {
  const g = new GraphBuilder('probe');
  const x = g.cast(g.input('x', 'float32', [1]), type);
  g.output('y', g.cast(g.add(x, x), 'float32'));
  return serialize(g);
}
