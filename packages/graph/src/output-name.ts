// Defines the names of those inputs and outputs that are called differently in the ONNX model and in the graph.

/** Returns the name that an output has in the ONNX model. It has a prefix, so that an output may have the name of an input. */
export const outputName = (name: string): string => `out:${name}`;

/** Returns the name of the input through which an accumulating output gets the value to which its result is added. */
export const accumulatorName = (name: string): string => `sum:${name}`;

/**
 * The name of an additional output that is not a tensor. After a run, onnxruntime-node (1.30) copies every fetched output into a
 * new array, even outputs that were written into pre-allocated ones. It fails on this output before the first copy, when the run
 * is already complete, so that nothing is copied (see device/node/host-binding.ts).
 */
export const NO_COPY_OUTPUT = 'no_copy';
