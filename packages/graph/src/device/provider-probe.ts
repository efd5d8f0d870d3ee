// Whether an execution provider works on this machine: WebGPU with a GPU (or a software one), CUDA with its files.
// Asked in a child process, because a failing probe may take its process down.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { copyModel } from '../serialize.js';

const runtime = createRequire(import.meta.url).resolve('onnxruntime-node');
const answers = new Map<string, Promise<string | null>>();

/** Why WebGPU cannot be used here, or null where it can. Asked once per process. */
export const webgpuProblem = (): Promise<string | null> => problemOf('webgpu');

/** Why CUDA cannot be used here, or null where it can. Without its files nothing is tried. */
export async function cudaProblem(): Promise<string | null> {
  const folder = join(dirname(runtime), '..', 'bin', 'napi-v6', process.platform, process.arch);
  const file = 'libonnxruntime_providers_cuda.so';
  return existsSync(join(folder, file)) ? problemOf('cuda') : `${file} is not installed`;
}

/** True where `openDevice({ device: 'webgpu' })` works. */
export async function webgpuAvailable(): Promise<boolean> {
  return (await webgpuProblem()) === null;
}

function problemOf(provider: 'webgpu' | 'cuda'): Promise<string | null> {
  let answer = answers.get(provider);
  if (!answer) answers.set(provider, (answer = probe(provider)));
  return answer;
}

/** One run of a model that copies a number. */
function probe(provider: string): Promise<string | null> {
  const model = Buffer.from(copyModel('float32')).toString('base64');
  const script = `
    const { InferenceSession, Tensor } = require(${JSON.stringify(runtime)});
    InferenceSession.create(Buffer.from('${model}', 'base64'), { executionProviders: ['${provider}'] })
      .then((session) => session.run({ x: new Tensor('float32', Float32Array.of(1), [1]) }))
      .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });`;
  const options = { timeout: 60_000, env: { ...process.env, NODE_OPTIONS: '' } };
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', script], options, (error, _out, stderr) => {
      resolve(error ? stderr.trim().split('\n').at(-1) || error.message : null);
    });
  });
}
