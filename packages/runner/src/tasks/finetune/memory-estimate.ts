// Estimates the memory that an optimizer step needs: the bytes of weights, gradients and Adam's moments are counted exactly,
// those of activations are estimated.
import type { LanguageModel, OptimizerOptions, Quantization } from '@bowyer/models';

export interface StepSize {
  optimizer: OptimizerOptions;
  quantization: Quantization;
  gradientCheckpointing: boolean;
  /** The number of sequences in a batch that runs through the model. */
  rows: number;
  /** The number of tokens of the longest sequence. */
  tokens: number;
}

/** The bytes of memory for each purpose. */
export interface MemoryEstimate {
  parameters: number;
  gradients: number;
  moments: number;
  activations: number;
}

const FLOAT = 4;

export function memoryEstimate({ architecture, parameters }: LanguageModel, size: StepSize): MemoryEstimate {
  const trained = parameters.size;
  const base = architecture.parameters.map(({ shape }) => ({ shape, count: shape.reduce((a, b) => a * b, 1) }));
  const total = base.reduce((sum, { count }) => sum + count, 0);
  const isLinear = (shape: readonly number[]) => shape.length === 2 && shape[0] !== architecture.vocabSize;
  const bits = { none: 8 * FLOAT, '8bit': 8, '4bit': 4 }[size.quantization];
  const frozen = base.reduce(
    (sum, { shape, count }) => sum + (isLinear(shape) ? (count * bits) / 8 : count * FLOAT),
    0,
  );
  return {
    // Adapters have parameters in addition to those of the frozen base model; without adapters the base model itself is trained.
    parameters: frozen + (trained < total ? trained * FLOAT : 0),
    gradients: trained * FLOAT,
    moments: [...parameters.tensors.values()].reduce(
      (sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1) * momentBytes(size.optimizer, isLinear(shape)),
      0,
    ),
    activations: activationBytes(architecture, size),
  };
}

function momentBytes(optimizer: OptimizerOptions, isLinear: boolean): number {
  if (optimizer.kind === 'sgd') return optimizer.momentum === 0 ? 0 : FLOAT;
  if (optimizer.kind === 'muon' && isLinear) return FLOAT;
  return optimizer.kind === 'adamw_8bit' ? 2 : 2 * FLOAT;
}

/** The share of the activations in memory with gradient checkpointing, measured on GPT-2 124M (benchmarks/README.md). */
const CHECKPOINTED = 0.45;

/**
 * Estimates the bytes of activations. A layer keeps 17 · width + 2.5 · heads · tokens numbers for each token (half of the bytes in
 * Korthikanti et al. 2022, arXiv:2205.05198, eq. 2, whose numbers have 16 bits); logits and their gradient are added.
 */
function activationBytes(
  { layers, heads, headSize, vocabSize }: LanguageModel['architecture'],
  { rows, tokens, gradientCheckpointing }: StepSize,
): number {
  const layer = 17 * heads * headSize + 2.5 * heads * tokens;
  const share = gradientCheckpointing ? CHECKPOINTED : 1;
  return rows * tokens * (layers * layer + 2 * vocabSize) * FLOAT * share;
}
