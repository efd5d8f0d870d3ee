// Defines those names in the ONNX model that differ from the graph's names.

/** Returns the model's name of an output. It has a prefix, so that an output may have the name of an input. */
export const outputName = (name: string): string => `out:${name}`;

/** Returns the name of the additional input of an accumulating output, to which the output is added. */
export const accumulatorName = (name: string): string => `sum:${name}`;

/**
 * The name of an output that is not a tensor. After a run, the Node binding (1.30) copies every fetched output into a new array, even
 * outputs that were written into pre-allocated ones. It fails on this output before the first copy, when the run is already complete.
 */
export const NO_COPY_OUTPUT = 'no_copy';
