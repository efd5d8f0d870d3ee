// Describes the parameters of a model: names, shapes, initial values and where checkpoints have them.

/**
 * A tensor in checkpoints that contains several parameters, such as one for each expert: [count, rows, columns] or [count, rows].
 * In its place there may be `tensor_blocks` and `tensor_scales`, the same numbers in MXFP4, always as [count, out, in].
 */
export interface JointTensor {
  tensor: string;
  count: number;
  /** The index of this parameter among the `count` parts. */
  index: number;
  /** The rows of the part that belong to this parameter: the first one, and the number of rows of the part. All rows if not given. */
  rows?: { from: number; of: number };
  /** Whether each part is stored as [in, out]. */
  transposed?: boolean;
  /** Whether models are saved with the joint tensor; otherwise the parameter is saved under its own name. */
  saved?: boolean;
}

/** Describes one parameter: its name in the Hugging Face checkpoint, its shape in memory, and its initial values. */
export interface ParameterSpec {
  name: string;
  /** The shape in memory; weights of linear layers are [out, in], even where the checkpoint has [in, out]. */
  shape: number[];
  init: { kind: 'normal'; standardDeviation: number } | { kind: 'zeros' } | { kind: 'ones' };
  /** Whether the checkpoint keeps this weight as [in, out] (GPT-2's Conv1D). */
  transposedInFile?: boolean;
  /** Whether training does not change the parameter: no gradient is computed for it. */
  isBuffer?: boolean;
  /** Tensors that checkpoints have beside this parameter and that have no effect, in transformers neither. */
  ignoredBeside?: readonly string[];
  /** Another name that checkpoints may use for it. */
  alias?: string;
  /** The joint tensor that checkpoints may have instead of a tensor with the parameter's own name. */
  joint?: JointTensor;
}
