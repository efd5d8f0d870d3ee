// Names of the tensors that stay between runs of the decoding graphs.

export const stateName = (state: string) => `state.${state}`;
/** Name of the output that replaces a state. */
export const nextStateName = (state: string) => `next.${state}`;
export const keyName = (layer: number) => `key.${layer}`;
export const valueName = (layer: number) => `value.${layer}`;
