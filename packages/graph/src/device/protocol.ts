// Declares the messages between the main thread and a device's worker, which owns all sessions and states: one request and one
// response per call.
import type { DataType, TensorArray } from '../dtype.js';

export type DeviceKind = 'cpu' | 'webgpu' | 'cuda';

/**
 * How ONNX Runtime's WebGPU provider caches free buffers. bucket: buffers up to 160 MB are kept by size class, a limited number of
 * each; exact: all buffers are kept for tensors of exactly their size, so memory grows with every new shape.
 */
export type GpuBuffers = 'bucket' | 'exact';

export interface HostTensor {
  dims: readonly number[];
  data: TensorArray;
}

export interface TypedHostTensor extends HostTensor {
  dtype: DataType;
}

export type StoreMode = 'write' | 'add';

/** Connects a graph input or output to a tensor of a state. */
export type StateLink = readonly [graphName: string, stateId: number, tensorName: string];
export type ViewLink = readonly [graphName: string, stateId: number, tensorName: string, dims: readonly number[]];

export interface Wiring {
  state: readonly StateLink[];
  store: readonly StateLink[];
  /** Inputs that are initializers of the session, with elements of state tensors; the session serves only this wiring. */
  constants: readonly StateLink[];
  mode: StoreMode;
  fetch: readonly string[];
  /** Graph outputs that are written into the memory of a graph input. */
  inPlace: readonly (readonly [output: string, input: string])[];
  /** Selects one of the program's sessions: wirings with the same variant share a session. */
  variant: string;
}

export interface WorkerSettings {
  device: DeviceKind;
  threads: number;
  /** The folder for profiles of sessions' first runs; if null, there are none, and the worker does not time its responses. */
  profileFolder: string | null;
  gpuBuffers: GpuBuffers;
}

export interface StateTensorSpec {
  name: string;
  dtype: DataType;
  dims: readonly number[];
  /** The elements of the tensor; zeros if not given. */
  data?: TensorArray;
}

export type Request =
  | { kind: 'createState'; stateId: number; tensors: StateTensorSpec[] }
  | { kind: 'viewState'; stateId: number; of: number; names: readonly string[] }
  | { kind: 'readState'; stateId: number; names: readonly string[] }
  | { kind: 'writeState'; stateId: number; tensors: { name: string; data: TensorArray; offset: number }[] }
  | { kind: 'releaseState'; stateId: number }
  | {
      kind: 'compile';
      programId: number;
      variant: string;
      /** The graph outputs that stay in the device as state tensors. */
      stored: readonly string[];
      name: string;
      /** The model's bytes, or the path of an .onnx file whose weights are in other files of its folder. */
      model: Uint8Array | string;
      externalData: { path: string; data: Uint8Array }[];
      /** The state tensors that become initializers of the model; the model refers to them by these names as paths. */
      constants: readonly StateLink[];
    }
  | { kind: 'releaseProgram'; programId: number }
  | { kind: 'bind'; bindingId: number; programId: number; wiring: Wiring }
  | { kind: 'releaseBinding'; bindingId: number }
  | {
      kind: 'run';
      binding: number | { programId: number; wiring: Wiring };
      inputs: Record<string, TypedHostTensor>;
      views: readonly ViewLink[];
    }
  | { kind: 'loadKernel'; kernelId: number; module: string; name: string }
  | {
      kind: 'callKernel';
      kernelId: number;
      states: Record<string, number>;
      programs: Record<string, number>;
      args: unknown;
      /** Whether the kernel only runs programs on states on the GPU, so that it gets only the types and sizes of tensors. */
      resident: boolean;
    }
  | { kind: 'rest'; stateIds: readonly number[] }
  | { kind: 'close' };

export interface Responses {
  createState: null;
  viewState: null;
  readState: Record<string, TypedHostTensor>;
  writeState: null;
  releaseState: null;
  compile: null;
  releaseProgram: null;
  bind: null;
  releaseBinding: null;
  run: Record<string, TypedHostTensor>;
  loadKernel: null;
  callKernel: unknown;
  rest: null;
  close: null;
}

export interface RequestMessage {
  id: number;
  request: Request;
}

/** The times at which the worker began and finished a request, in milliseconds since the epoch; only if the device is traced. */
export type WorkTime = readonly [start: number, end: number];

export type ResponseMessage =
  | { id: number; result: unknown; time?: WorkTime }
  | { id: number; error: { name: string; message: string; stack?: string } };
