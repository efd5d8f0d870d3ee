// Names the inputs and outputs of the decoding graphs whose tensors are kept between runs: keys, values and recurrent states.

export const stateName = (state: string) => `state.${state}`;
/** Returns the name of the graph output with a recurrent layer's state after the new tokens. */
export const nextStateName = (state: string) => `next.${state}`;
export const keyName = (layer: number) => `key.${layer}`;
export const valueName = (layer: number) => `value.${layer}`;

/** Returns the name of a graph input for a capacity class (capacity-classes.ts), without prefix for the first one. */
export const inClass = (name: string, index: number) => (index === 0 ? name : `class${index}.${name}`);
/** Returns the name of the graph input for the keys or values of the shared prefixes (cache-rows.ts). */
export const sharedName = (name: string) => `shared.${name}`;
/** Graph inputs [rows] that say which shared positions each row has: the index of the first one, and their number. */
export const SHARED_BEGINS = 'shared_begins';
export const SHARED_LENGTHS = 'shared_lengths';
/** The graph input with the number of rows in each capacity class. */
export const CLASS_ROWS = 'class_rows';
