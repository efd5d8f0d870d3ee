// Names in the ONNX model that are not the graph's own.

/** Names an output. Outputs have their own name space, so that an output may have the name of an input. */
export const outputName = (name: string): string => `out:${name}`;

/** Names the extra input of an accumulating output: what the output is added to. */
export const accumulatorName = (name: string): string => `sum:${name}`;

/**
 * An output that is not a tensor. After a run the Node binding (1.30) copies every fetched output into a new array, even outputs
 * written into pre-allocated ones. It rejects this output and so stops before the first copy, when the run is complete.
 */
export const NO_COPY_OUTPUT = 'no_copy';
