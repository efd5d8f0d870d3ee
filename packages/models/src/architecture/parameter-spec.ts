// Describes the parameters of a model: names, shapes, initial values, and how checkpoints store them.

/**
 * Describes a tensor of a checkpoint with several parameters, such as those of all experts: [count, rows, columns] or [count,
 * rows]; or, in MXFP4, the tensors `tensor_blocks` and `tensor_scales`, always as [count, out, in].
 */
export interface JointTensor {
  tensor: string;
  count: number;
  /** The index on the joint tensor's first axis at which the parameter is. */
  index: number;
  /** The rows at `index` that belong to this parameter: the first row, and the number of rows at that index; all if omitted. */
  rows?: { from: number; of: number };
  /** Whether the matrix at each index is stored as [in, out]. */
  transposed?: boolean;
  /** Whether saved models contain the joint tensor; otherwise the parameter is saved under its own name. */
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
  /** Whether the parameter is a buffer, which training does not change: no gradient is computed for it. */
  isBuffer?: boolean;
  /** Names of tensors that checkpoints may contain beside this parameter; ignored, as in transformers. */
  ignoredBeside?: readonly string[];
  alias?: string;
  /** The joint tensor that checkpoints may contain instead of a tensor with the parameter's own name. */
  joint?: JointTensor;
}
