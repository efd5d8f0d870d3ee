// The settings that are compared: keys of `trainAgent` by the name of a variant.

export const variants: Record<string, Record<string, unknown>> = {
  /** Those that are shipped. */
  defaults: {},
  /** Those that were shipped with version 0.2, written out. */
  'v0.2': {
    algorithm: 'grpo',
    iterations: 50,
    rolloutSize: 32,
    groupSize: 8,
    innerEpochs: 4,
    minibatchSize: 8,
    lmLr: 3e-4,
    klCoefficient: 0,
    evalFreq: 5,
    evalSize: 16,
    evalDecoding: 'sample',
    saveFreq: 1,
  },
};
