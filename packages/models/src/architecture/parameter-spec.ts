// The parameters of a model, as an architecture lists them.

/** One parameter: its name in the Hugging Face checkpoint, its shape in memory, and how a fresh model fills it. */
export interface ParameterSpec {
  name: string;
  /** In memory; linear weights are [out, in], whatever the checkpoint has. */
  shape: number[];
  init: { kind: 'normal'; standardDeviation: number } | { kind: 'zeros' } | { kind: 'ones' };
  /** The checkpoint keeps this weight as [in, out] (GPT-2's Conv1D). */
  transposedInFile?: boolean;
}
