/** Outputs have a name space of their own in the ONNX model, so that an output may be called as an input is. */
export const outputName = (name: string): string => `out:${name}`;
