// Names in the ONNX model that are not the graph's own.

/** Outputs have a name space of their own, so that an output may be called as an input is. */
export const outputName = (name: string): string => `out:${name}`;

/** Extra input of an accumulating output: what it is added to. */
export const accumulatorName = (name: string): string => `sum:${name}`;

/**
 * An output that is not a tensor. After a run the Node binding (1.30) copies every fetched output into a fresh array, also those
 * written into pre-allocated ones; it refuses this one and so stops before the first copy, when all the work is done.
 */
export const NO_COPY_OUTPUT = 'no_copy';
