// Whole numbers of a graph for WebGPU: int64 values in int32, and the index of the largest element as int32.
import type { GraphBuilder } from './builder.js';
import type { GraphNode, Value } from './value.js';

const LARGEST = 2n ** 31n - 1n;

/** Values of the old graph → values of the new one, some of them in int32 instead of int64. */
export class ValueMap {
  readonly #exact = new Map<Value, Value>();
  readonly #narrow = new Map<Value, Value>();

  constructor(private readonly g: GraphBuilder) {}

  set(old: Value, made: Value): void {
    this.#exact.set(old, made);
  }

  setNarrow(old: Value, made: Value): void {
    this.#narrow.set(old, made);
  }

  /** In int32 if there is such a form, else as it was. */
  narrowest(old: Value): Value {
    return this.#narrow.get(old) ?? this.get(old);
  }

  /** In int32, be it by a cast. */
  narrow(old: Value): Value {
    return this.#narrow.get(old) ?? this.#constant(old) ?? this.g.cast(this.get(old), 'int32');
  }

  /** Whether some operand has a form in int32 and every other of int64 is a constant that fits. */
  areNarrow(operands: readonly (Value | undefined)[]): boolean {
    const long = operands.filter((value) => value?.dtype === 'int64') as Value[];
    return long.some((value) => this.#narrow.has(value)) && long.every((value) => this.#fits(value));
  }

  /** In the type it was. */
  get(old: Value): Value {
    let value = this.#exact.get(old);
    if (!value) this.#exact.set(old, (value = this.g.cast(this.#narrow.get(old)!, old.dtype)));
    return value;
  }

  #fits(value: Value): boolean {
    if (!value.data) return this.#narrow.has(value);
    return (value.data as BigInt64Array).every((x) => x >= -LARGEST && x <= LARGEST);
  }

  #constant({ data, shape }: Value): Value | undefined {
    return data && this.g.constant(Int32Array.from(data as BigInt64Array, Number), shape as number[], 'int32');
  }
}

/**
 * The first index of the largest element, as int32: the provider's ArgMax gives int64, which no other operator of its takes.
 *
 *     min over i of (i where x[i] = max x, else n − 1)
 *
 * In float32, exact below 2²⁴, because the provider has no minimum of whole numbers.
 */
export function plainArgMax(g: GraphBuilder, x: Value, { attributes }: GraphNode): Value {
  const axis = attributes.axis as number;
  const size = x.dim(axis) as number;
  const places = Float32Array.from({ length: size }, (_, i) => i);
  const shape = x.shape.map((_, i) => (i === axis ? size : 1));
  const isLargest = g.greaterOrEqual(x, g.reduceMax(x, { axes: [axis], keepdims: true }));
  const candidates = g.where(isLargest, g.constant(places, shape), size - 1);
  return g.cast(g.reduceMin(candidates, { axes: [axis], keepdims: attributes.keepdims === 1 }), 'int32');
}
