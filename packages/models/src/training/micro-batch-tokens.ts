// Chooses the default size of micro-batches in training on the CPU (docs/decisions/batches.md).
import type { CausalArchitecture } from '../architecture/architecture.js';

/** The tokens of a micro-batch for small models, whose activations then fit into the CPU's caches. */
const SMALL = 2048;

/** The tokens of a micro-batch for large models: enough for fast products, while activations take megabytes per token. */
const LARGE = 640;

/** The product of layers and width from which on models are large: GPT-2 (124 M) has 9,216, SmolLM2 (135 M) 17,280. */
const LARGE_FROM = 2 ** 14;

/** Returns the default tokens of a micro-batch. It depends on the model's sizes alone, so that a resumed run has the same. */
export const microBatchTokens = ({
  layers,
  heads,
  headSize,
}: Pick<CausalArchitecture, 'layers' | 'heads' | 'headSize'>): number =>
  layers * heads * headSize < LARGE_FROM ? SMALL : LARGE;
