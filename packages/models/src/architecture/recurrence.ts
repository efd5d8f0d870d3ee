// The states of recurrent layers: of fixed size, and replaced by each new token, unlike keys and values.

/** Describes one tensor of a layer's state. */
export interface StateSpec {
  /** The name, unique in the model, e.g. `layers.3.convolution`. */
  name: string;
  /** The shape for one sequence; every sequence begins with zeros. */
  shape: readonly number[];
}
