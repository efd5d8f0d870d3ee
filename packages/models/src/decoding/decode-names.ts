// Names of the tensors that stay between runs of the decoding graphs.

export const stateName = (state: string) => `state.${state}`;
/** Names the output that replaces a state. */
export const nextStateName = (state: string) => `next.${state}`;
export const keyName = (layer: number) => `key.${layer}`;
export const valueName = (layer: number) => `value.${layer}`;

/** Names an input of the decoding graph for the rows of a capacity class; inputs of the first class have the plain name. */
export const inClass = (name: string, index: number) => (index === 0 ? name : `class${index}.${name}`);
/** Input with the number of rows in each class. */
export const CLASS_ROWS = 'class_rows';
