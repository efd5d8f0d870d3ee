// Makes a GPT-2 that is small enough for float64 loops and finite differences, and token examples of different lengths.
import { Rng } from '@bowyer/core';
import { initializeParameters } from '../../src/architecture/initialize-parameters.js';
import { gpt2 } from '../../src/decoder/families/gpt2.js';
import { gpt2Config, type Gpt2Config } from '../../src/decoder/gpt2-config.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TokenExample } from '../../src/batching/token-batches.js';

export const tinyConfig = (changes: Partial<Gpt2Config> = {}): Gpt2Config =>
  gpt2Config({ model_type: 'gpt2', n_layer: 2, n_embd: 12, n_head: 3, n_positions: 16, vocab_size: 11, ...changes });

/** Draws weights and biases ten times as large as start weights, so that every part has a visible effect. */
export function tinyParameters(config: Gpt2Config, seed: number): HostTensors {
  const rng = new Rng(seed);
  const tensors = initializeParameters(gpt2(config).parameters, rng);
  for (const { data } of Object.values(tensors))
    for (let i = 0; i < data.length; i++) data[i] = data[i] + 0.2 * rng.normal();
  return tensors;
}

/** Draws examples of 1 to `longest` tokens; about half of the positions are scored. */
export function randomExamples(count: number, longest: number, vocabulary: number, rng: Rng): TokenExample[] {
  return Array.from({ length: count }, () => {
    const length = rng.integer(1, longest);
    const token = () => rng.integer(0, vocabulary - 1);
    return {
      ids: Int32Array.from({ length }, token),
      targets: Int32Array.from({ length }, token),
      weights: Float32Array.from({ length }, (_, t) =>
        t === length - 1 || rng.uniform() < 0.5 ? rng.uniform() + 0.1 : 0,
      ),
    };
  });
}
