// Computes dropout whose masks follow from a seed, an input of the graph at each call, so that a resumed training drops the same
// elements. ONNX's own Dropout keeps its generator inside the session, where a checkpoint cannot save it. All numbers are int32
// with overflow, which CPUs and GPUs compute identically, so that a seed gives the same masks on each device.
import { divideDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** Odd constants with well-mixed bits, one for each number that the hash takes in. */
const [SEED, SITE, PLACE, STREAM] = [0x85ebca77, 0x9e3779b1, 0x27d4eb2f, 0x297a2d39].map((x) => x | 0);

/** Adds dropout to a graph. */
export class SeededDropout {
  #sites = 0;

  /**
   * @param seed int32 scalar, new for each call of the graph
   * @param firstRow int32 scalar, given if other processes compute some rows of the batch: the index in the whole batch of this
   *   graph's first row, so that masks do not depend on the number of processes. Axis 0 must then be a multiple of the dimension
   *   'batch'.
   */
  constructor(
    private readonly g: GraphBuilder,
    private readonly seed: Value,
    private readonly firstRow?: Value,
  ) {}

  /** Returns x / (1 − p) with probability 1 − p for each element, else 0. Every call site has its own mask. */
  apply(x: Value, probability: number): Value {
    const { g } = this;
    const threshold = Math.round(probability * 2 ** 32) - 2 ** 31;
    const isKept = g.greaterOrEqual(this.#uniform(x, ++this.#sites), threshold);
    return g.mul(x, g.where(isKept, g.scalar(1 / (1 - probability)), 0));
  }

  /**
   * Draws an integer in [−2³¹, 2³¹) for each element. With two hashes h and h′ of its indices on all axes but the last, and c and c′
   * of its index on the last axis, it is
   *
   *     (h + c) · (h′ + c′)
   *
   * whose high bits are used. Only the two sums and the product have as many elements as x. Pairs of such products are independent if
   * the hashes are (as in the NH hash of Black et al. 1999, UMAC).
   */
  #uniform(x: Value, site: number): Value {
    const { g } = this;
    const start = this.#mixed(g.add(g.mul(this.seed, SEED), Math.imul(site, SITE)));
    const placed = (hash: Value, axis: number) =>
      this.#mixed(g.add(hash, g.mul(g.reshape(this.#places(x, axis), alongAxis(x, axis)), PLACE)));
    const last = x.rank - 1;
    let row = start;
    for (let axis = 0; axis < last; axis++) row = placed(row, axis);
    const column = placed(this.#mixed(g.add(start, STREAM)), last);
    const second = (hash: Value) => this.#mixed(g.add(hash, STREAM));
    return g.mul(g.add(row, column), g.add(second(row), second(column)));
  }

  /** Returns the index along an axis of each element. */
  #places(x: Value, axis: number): Value {
    const { g, firstRow } = this;
    const places = g.cast(g.range(x.dim(axis)), 'int32');
    if (axis > 0 || !firstRow) return places;
    const perRow = divideDims(x.dim(0), 'batch');
    if (perRow === undefined) throw new Error(`SeededDropout: axis 0 is ${x.dim(0)}, not a multiple of the batch`);
    return g.add(places, g.mul(firstRow, g.cast(g.dimScalar(perRow), 'int32')));
  }

  /**
   * Mixes bits in three rounds. Each applies x ← x (2x + 1), a permutation whose high bits depend on all bits, and adds the high bits
   * to the low ones.
   */
  #mixed(hash: Value): Value {
    const { g } = this;
    let x = hash;
    for (let round = 0; round < 3; round++) {
      x = g.mul(x, g.add(g.mul(x, 2), 1));
      x = g.add(g.add(x, g.div(x, 2 ** 16)), SITE);
    }
    return x;
  }
}

/** Returns the shape with which numbers along one axis broadcast against x. */
const alongAxis = (x: Value, axis: number) => x.shape.slice(axis).map((size, i) => (i === 0 ? size : 1));
