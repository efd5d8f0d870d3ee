// Names the tensors of the decoding graphs that are kept between runs.

export const stateName = (state: string) => `state.${state}`;
/** Returns the name of the output that replaces a state. */
export const nextStateName = (state: string) => `next.${state}`;
export const keyName = (layer: number) => `key.${layer}`;
export const valueName = (layer: number) => `value.${layer}`;

/** Returns the name of a graph input for the rows of a capacity class; inputs of the first class have no prefix. */
export const inClass = (name: string, index: number) => (index === 0 ? name : `class${index}.${name}`);
/** Returns the name of a graph input for the shared positions' keys or values. */
export const sharedName = (name: string) => `shared.${name}`;
/** Inputs [rows] that say which shared positions a row has: the index of the first, and their number. */
export const SHARED_BEGINS = 'shared_begins';
export const SHARED_LENGTHS = 'shared_lengths';
/** The input with the number of rows in each class. */
export const CLASS_ROWS = 'class_rows';
