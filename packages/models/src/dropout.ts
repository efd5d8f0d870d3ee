// Dropout whose masks follow from one seed that is fed at each run, so that a resumed run drops the same elements.
// ONNX's own Dropout keeps its generator inside the session, where no checkpoint reaches it.
import { multiplyDims, type Dim, type GraphBuilder, type Value } from '@bowyer/graph';

/** Largest prime below 2³¹: products of two remainders fit into int64. */
const PRIME = 2147483647;

export class SeededDropout {
  #sites = 0;

  /** @param seed int64 scalar in [0, 2³¹), new at each run */
  constructor(
    private readonly g: GraphBuilder,
    private readonly seed: Value,
  ) {}

  /** x / (1 − p) where a uniform number reaches p, 0 elsewhere. Every call site has its own mask. */
  apply(x: Value, probability: number): Value {
    const { g } = this;
    const uniform = this.#hash(g.range(x.shape.reduce<Dim>(multiplyDims, 1)), ++this.#sites);
    const kept = g.cast(g.greaterOrEqual(uniform, Math.round(probability * PRIME)), 'float32');
    return g.mul(x, g.reshape(g.mul(kept, 1 / (1 - probability)), x.shape));
  }

  /** Counter → number in [0, PRIME): an affine start from seed and site, then two rounds of x ← x (x + c) + index mod PRIME. */
  #hash(index: Value, site: number): Value {
    const { g } = this;
    const start = g.mod(g.add(g.mul(this.seed, 48271), site * 69621), PRIME);
    let x = g.mod(g.add(g.mul(g.mod(index, PRIME), 1103515245), start), PRIME);
    for (const constant of [1812433253, 1664525]) x = g.mod(g.add(g.mul(x, g.add(x, constant)), index), PRIME);
    return x;
  }
}
