// Describes the states of recurrent layers. Unlike keys and values they have a fixed size, and each token replaces them.

/** Describes one tensor of a layer's state. */
export interface StateSpec {
  /** The name, unique in the model, e.g. `layers.3.convolution`. */
  name: string;
  /** The shape for one sequence; every sequence begins with zeros. */
  shape: readonly number[];
}
