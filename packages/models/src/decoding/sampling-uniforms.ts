// Draws the uniform random numbers from which tokens are sampled. Each row has its own random stream, so that its tokens do not
// depend on the other rows of the batch. All numbers are multiples of 2⁻²⁴ in [0, 1), which float32 represents exactly.
import { Rng } from '@bowyer/core';

/** Draws [maxNewTokens] uniform numbers from a new stream, whose seed is one number of `rng`. */
export const samplingUniforms = (rng: Rng, maxNewTokens: number): Float32Array =>
  uniformsPerToken(new Rng(rng.uint32()), maxNewTokens);

/** Draws [maxNewTokens] uniform numbers from `rng` itself. */
export const uniformsPerToken = (rng: Rng, maxNewTokens: number): Float32Array =>
  Float32Array.from({ length: maxNewTokens }, () => (rng.uint32() >>> 8) / 16777216);

/** Concatenates the numbers of all rows to one array, [rows · maxNewTokens]. */
export const inOneArray = (rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(rows.flatMap((own) => [...own]));
