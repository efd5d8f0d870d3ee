// The random numbers behind sampled tokens: one stream per row, so that a row's tokens do not depend on the batch.
import { Rng } from '@bowyer/core';

/** [rows · maxNewTokens] multiples of 2⁻²⁴ in [0, 1), which float32 represents exactly; a separate stream per row. */
export function samplingUniforms(seeds: readonly number[], maxNewTokens: number): Float32Array {
  const uniforms = new Float32Array(seeds.length * maxNewTokens);
  seeds.forEach((seed, row) => {
    const rng = new Rng(seed);
    for (let t = 0; t < maxNewTokens; t++) uniforms[row * maxNewTokens + t] = (rng.uint32() >>> 8) / 16777216;
  });
  return uniforms;
}
