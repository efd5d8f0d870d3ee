// Describes the states of recurrent layers. The keys and values of attention grow with the context; a recurrent state has a fixed
// size, and each token replaces it.

export interface StateSpec {
  /** The state's name, unique in the model, e.g. `layers.3.convolution`. */
  name: string;
  /** The state's shape for one sequence; every sequence begins with a state of zeros. */
  shape: readonly number[];
}
