/** The values of a double critic's four heads for one batch, each [batch]. */
export interface HeadValues {
  q1: Float32Array;
  q2: Float32Array;
  v1: Float32Array;
  v2: Float32Array;
}

/**
 * Computes the advantage of whole utterances: A(s, a) = min(Q₁, Q₂) − min(V₁, V₂).
 *
 * Source: ArCHer, Zhou et al. 2024, arXiv:2402.19446, section 3.3.
 */
export function utteranceAdvantages({ q1, q2, v1, v2 }: HeadValues): Float32Array {
  return q1.map((_, i) => Math.min(q1[i], q2[i]) - Math.min(v1[i], v2[i]));
}
