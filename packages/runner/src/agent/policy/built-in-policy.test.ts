import { builtInPolicy } from './built-in-policy.js';

const shape = { nLayer: 2, nHead: 4, nEmbd: 64, nPositions: 128 };

test.each(['gpt2', 'llama', 'smeared_llama', 'canon_llama'] as const)(
  '%s: the first weights are as wide as said, else as the width asks for',
  (modelType) => {
    const range = (initializerRange: number | null) =>
      builtInPolicy({ modelType, ...shape, initializerRange }, 100).initializer_range;
    expect([range(0.02), range(null)]).toEqual([0.02, 1 / 8]);
  },
);
