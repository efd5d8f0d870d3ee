// How many tokens a gradient takes through a model at once on the CPU: docs/decisions/batches.md.
import type { CausalArchitecture } from '../architecture/architecture.js';

/** Activations of small models stay in the CPU's caches with as many. */
const SMALL = 2048;

/** Enough for products at their full rate; activations of larger models take megabytes a token. */
const LARGE = 640;

/** Layers times width from which on a model is large: GPT-2 of 124 M weights has 9,216, SmolLM2 of 135 M 17,280. */
const LARGE_FROM = 2 ** 14;

/** Returns how many tokens a micro-batch has, if nobody says how many. It depends on sizes alone, so that a resumed run computes the same. */
export const microBatchTokens = ({
  layers,
  heads,
  headSize,
}: Pick<CausalArchitecture, 'layers' | 'heads' | 'headSize'>): number =>
  layers * heads * headSize < LARGE_FROM ? SMALL : LARGE;
