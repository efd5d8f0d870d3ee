// The parameters of a model, as an architecture lists them.

/**
 * A tensor of files that contains several parameters, such as one for each expert: [count, rows, columns] or [count, rows].
 * In its place there may be `tensor_blocks` and `tensor_scales`, the same numbers in MXFP4, always as [count, out, in].
 */
export interface JointTensor {
  tensor: string;
  count: number;
  /** Which of the `count` parts has this parameter. */
  index: number;
  /** The row at which it begins in the part, and how many rows the part has; it is the whole part if not given. */
  rows?: { from: number; of: number };
  /** Whether the part is [in, out]. */
  transposed?: boolean;
  /** Whether models are saved so; else the parameter is saved under its own name. */
  saved?: boolean;
}

/** One parameter: its name in the Hugging Face checkpoint, its shape in memory, and how a fresh model fills it. */
export interface ParameterSpec {
  name: string;
  /** The shape in memory; linear weights are [out, in], whatever the checkpoint has. */
  shape: number[];
  init: { kind: 'normal'; standardDeviation: number } | { kind: 'zeros' } | { kind: 'ones' };
  /** Whether the checkpoint keeps this weight as [in, out] (GPT-2's Conv1D). */
  transposedInFile?: boolean;
  /** Whether training leaves it as it is: no result has a gradient by it. */
  isBuffer?: boolean;
  /** Tensors that files have beside it and that have no effect, as transformers ignores them too. */
  idleBeside?: readonly string[];
  /** Another name that files may have it under. */
  alias?: string;
  /** The joint tensor in which the file may have it, instead of under its own name. */
  joint?: JointTensor;
}
