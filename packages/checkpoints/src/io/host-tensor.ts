// A tensor in memory, as weight files are read into and written from.

/** Host tensor: row-major values with their shape. */
export interface HostTensor {
  shape: number[];
  data: Float32Array;
}
export type HostTensors = Record<string, HostTensor>;
