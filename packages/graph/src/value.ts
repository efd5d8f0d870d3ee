// A graph is values and the nodes that make them.
import type { Dim, Shape } from './dims.js';
import type { DataType, TensorArray } from './dtype.js';
import type { Op } from './op.js';

/**
 * Attributes of a node. Whole numbers become INT unless the operator lists the name among its `floatAttributes`.
 * Names with a leading underscore are notes for shape and gradient rules and stay out of the ONNX model.
 */
export type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

/** One operator applied: `undefined` stands for an optional input that is left out. */
export interface GraphNode {
  readonly name: string;
  readonly op: Op;
  readonly inputs: readonly (Value | undefined)[];
  readonly outputs: Value[];
  readonly attributes: Attributes;
}

export type ValueKind = 'input' | 'initializer' | 'node';

/** A tensor of the graph: what an input, an initializer or a node stands for. */
export class Value {
  constructor(
    readonly name: string,
    readonly dtype: DataType,
    readonly shape: Shape,
    readonly kind: ValueKind,
    /** The node that computes it; undefined for inputs and initializers. */
    readonly node?: GraphNode,
    /** Elements of an initializer. */
    readonly data?: TensorArray,
  ) {}

  get rank(): number {
    return this.shape.length;
  }

  /** Dimension `axis`; negative counts from the end. */
  dim(axis: number): Dim {
    const dim = this.shape.at(axis);
    if (dim === undefined) throw new RangeError(`'${this.name}' has rank ${this.rank}, so no axis ${axis}`);
    return dim;
  }
}
