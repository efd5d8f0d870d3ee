// Runs an .onnx file that was exported for other programs, in order to check the export; no graph of this package is needed.
import './disable-telemetry.js';
import { createRequire } from 'node:module';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { DataType } from '../../dtype.js';
import { onnxRuntimePath } from './onnx-runtime.js';

export interface OnnxTensor {
  dims: readonly number[];
  data: ArrayLike<number>;
}

export interface OnnxSession {
  /** The version of onnxruntime-node. */
  version: string;
  /** The inputs of the file; symbolic sizes are names. */
  inputs: readonly { name: string; shape: readonly (number | string)[] }[];
  /** Runs the model. Inputs are lists of numbers (of bits for float16), or outputs of an earlier run, which are not copied. */
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Record<string, OnnxTensor>>;
  release(): Promise<void>;
}

/** Opens an ONNX file on the CPU, in this thread. @throws if ONNX Runtime cannot load the file */
export async function openOnnxFile(path: string): Promise<OnnxSession> {
  const require = createRequire(import.meta.url);
  const runtime = require(onnxRuntimePath()) as { InferenceSession: typeof InferenceSession; Tensor: typeof Tensor };
  const { InferenceSession: Session, Tensor: RuntimeTensor } = runtime;
  const { version } = require('onnxruntime-node/package.json') as { version: string };
  const session = await Session.create(path, { executionProviders: ['cpu'], logSeverityLevel: 3 });
  const types = new Map(
    session.inputMetadata.flatMap((one) => (one.isTensor ? [[one.name, one.type as DataType]] : [])),
  );
  const tensorOf = (name: string, { dims, data }: OnnxTensor) => {
    const type = types.get(name)!;
    // ONNX Runtime converts lists of numbers to typed arrays, except for float16.
    const values = Array.from(data as ArrayLike<number>);
    if (type !== 'float16') return new RuntimeTensor(type as 'float32', values, dims);
    return new RuntimeTensor('float16', new RuntimeTensor('uint16', values, dims).data as Uint16Array, dims);
  };
  return {
    version,
    inputs: session.inputMetadata.flatMap((one) => (one.isTensor ? [{ name: one.name, shape: one.shape }] : [])),
    async run(inputs) {
      const fed = Object.entries(inputs).map(([name, tensor]) => [
        name,
        tensor instanceof RuntimeTensor ? tensor : tensorOf(name, tensor),
      ]);
      return (await session.run(Object.fromEntries(fed) as Record<string, Tensor>)) as Record<string, OnnxTensor>;
    },
    release: () => session.release(),
  };
}
