// Declares tensors in memory. Weight files are read into such tensors and written from them.

/** Row-major values and their shape. */
export interface HostTensor {
  shape: number[];
  data: Float32Array;
}
export type HostTensors = Record<string, HostTensor>;
