// Files of weights alone, as ArCHer's checkpoints and oracles are.

/** Whether a place in a config names a file of PyTorch or safetensors rather than the folder of a model. */
export const isWeightsFile = (place: string): boolean => /\.(pt|pth|bin|safetensors)$/.test(place);
