// Draws the random numbers of sampling: one stream per row, so that a row's tokens do not depend on the batch. All numbers are multiples
// of 2⁻²⁴ in [0, 1), which float32 represents exactly.
import { Rng } from '@bowyer/core';

/** Draws [maxNewTokens] numbers from a new stream, which is seeded by one number of `rng`. */
export const samplingUniforms = (rng: Rng, maxNewTokens: number): Float32Array =>
  uniformsPerToken(new Rng(rng.uint32()), maxNewTokens);

/** Draws [maxNewTokens] numbers from `rng` itself. */
export const uniformsPerToken = (rng: Rng, maxNewTokens: number): Float32Array =>
  Float32Array.from({ length: maxNewTokens }, () => (rng.uint32() >>> 8) / 16777216);

/** Concatenates the rows' numbers to [rows · maxNewTokens]. */
export const inOneArray = (rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(rows.flatMap((own) => [...own]));
