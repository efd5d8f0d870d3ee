// Names of the decoding graphs' tensors that are kept between runs.

export const stateName = (state: string) => `state.${state}`;
/** Returns the name of the output that replaces a state. */
export const nextStateName = (state: string) => `next.${state}`;
export const keyName = (layer: number) => `key.${layer}`;
export const valueName = (layer: number) => `value.${layer}`;

/** Returns the name of a graph input for the rows of a capacity class; inputs of the first class have no prefix. */
export const inClass = (name: string, index: number) => (index === 0 ? name : `class${index}.${name}`);
/** The input with the number of rows in each class. */
export const CLASS_ROWS = 'class_rows';
