// Whether this machine has a GPU (or a software one) that ONNX Runtime's WebGPU provider accepts.
// Asked in a child process, because a failing probe may take its process down.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { copyModel } from '../serialize.js';

let answer: Promise<string | null> | undefined;

/** Why WebGPU cannot be used here, or null where it can. Asked once per process. */
export function webgpuProblem(): Promise<string | null> {
  answer ??= new Promise((resolve) => {
    const runtime = createRequire(import.meta.url).resolve('onnxruntime-node');
    const model = Buffer.from(copyModel('float32')).toString('base64');
    const script = `
      const { InferenceSession, Tensor } = require(${JSON.stringify(runtime)});
      InferenceSession.create(Buffer.from('${model}', 'base64'), { executionProviders: ['webgpu'] })
        .then((session) => session.run({ x: new Tensor('float32', Float32Array.of(1), [1]) }))
        .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });`;
    execFile(
      process.execPath,
      ['-e', script],
      { timeout: 60_000, env: { ...process.env, NODE_OPTIONS: '' } },
      (error, _out, stderr) => {
        resolve(error ? stderr.trim().split('\n').at(-1) || error.message : null);
      },
    );
  });
  return answer;
}

/** True where `openDevice({ device: 'webgpu' })` works. */
export async function webgpuAvailable(): Promise<boolean> {
  return (await webgpuProblem()) === null;
}
