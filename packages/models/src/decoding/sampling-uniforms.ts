// The random numbers behind sampled tokens: one stream per row, so that a row's tokens do not depend on the batch.
// All are multiples of 2⁻²⁴ in [0, 1), which float32 represents exactly.
import { Rng } from '@bowyer/core';

/** Draws [maxNewTokens] numbers from a stream that is seeded by one number of the given one. */
export const samplingUniforms = (rng: Rng, maxNewTokens: number): Float32Array =>
  uniformsPerToken(new Rng(rng.uint32()), maxNewTokens);

/** Draws [maxNewTokens] numbers of the stream itself. */
export const uniformsPerToken = (rng: Rng, maxNewTokens: number): Float32Array =>
  Float32Array.from({ length: maxNewTokens }, () => (rng.uint32() >>> 8) / 16777216);

/** Concatenates the rows' numbers, [rows · maxNewTokens], those of one row in sequence. */
export const inOneArray = (rows: readonly Float32Array[]): Float32Array =>
  Float32Array.from(rows.flatMap((own) => [...own]));
