// The states that layers keep of earlier tokens other than keys and values: states of fixed size, which each new token replaces.

/** One tensor of a layer's state. */
export interface StateSpec {
  /** Unique in the model, e.g. `layers.3.convolution`. */
  name: string;
  /** The shape for one sequence; every sequence begins with zeros. */
  shape: readonly number[];
}
