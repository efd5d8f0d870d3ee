// Compares the families of decoders that exist only in Bowyer with Llama. recurrent-episodes.test.ts tests that decoding them
// token by token gives the same log-probabilities as scoring the whole text.
import { openDevice } from '@bowyer/graph';
import type { HostTensors } from '@bowyer/checkpoints';
import { formulaWeights, tokenIds } from '../../../test/families/formula-weights.js';
import { architectureFor } from '../../language-model/architectures.js';
import { TokenScorer } from '../../training/token-scorer.js';

const sizes = {
  vocab_size: 29,
  hidden_size: 16,
  intermediate_size: 20,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  num_hidden_layers: 2,
  max_position_embeddings: 40,
};
const ids = tokenIds('text', 12, sizes.vocab_size);

/** Computes the log-probability of each token of a text after the first one. */
async function logprobs(json: Record<string, unknown>, replaced: HostTensors = {}): Promise<number[]> {
  const architecture = architectureFor({ ...sizes, ...json });
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const parameters = await device.createState({ ...formulaWeights(architecture.parameters), ...replaced });
    const scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
    const targets = Int32Array.from(ids.slice(1));
    const weights = new Float32Array(targets.length).fill(1);
    const [scores] = await scorer.logprobs([{ ids: Int32Array.from(ids.slice(0, -1)), targets, weights }]);
    return [...scores];
  } finally {
    await device.close();
  }
}

/**
 * Makes the weights of the key convolutions of both layers from the weights of the last three tokens, of which the last one is
 * the key's own.
 */
const smearing = (columns: number[]): HostTensors =>
  Object.fromEntries(
    [0, 1].map((layer) => [
      `model.layers.${layer}.self_attn.k_conv.weight`,
      { shape: [8, 1, 3], data: Float32Array.from({ length: 24 }, (_, i) => columns[i % 3]) },
    ]),
  );

const smeared = { model_type: 'smeared_llama', key_convolution_tokens: 3 };
const difference = (a: number[], b: number[]) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

/** Makes Canon layers whose convolutions multiply the previous token by `weight`, and all other tokens by 0. */
const canon = (weight: number): HostTensors =>
  Object.fromEntries(
    [0, 1].flatMap((layer) =>
      ['canonA', 'canonC'].map((name) => [
        `model.layers.${layer}.${name}.weight`,
        { shape: [16, 1, 4], data: Float32Array.from({ length: 64 }, (_, i) => (i % 4 === 2 ? weight : 0)) },
      ]),
    ),
  );

test('Canon layers without weights leave Llama as it is, one that counts the token before does not', async () => {
  const whole = { model_type: 'canon_llama', partial_rotary_factor: 1 };
  const llama = await logprobs({ model_type: 'llama' });
  expect(difference(await logprobs(whole, canon(0)), llama)).toBeLessThan(1e-6);
  expect(difference(await logprobs(whole, canon(0.5)), llama)).toBeGreaterThan(0.01);
  const partly = { model_type: 'canon_llama', partial_rotary_factor: 0.5 };
  expect(difference(await logprobs(partly, canon(0)), llama)).toBeGreaterThan(0.001);
});

test('keys of their own token alone are those of Llama; with a share of the tokens before they are not', async () => {
  const llama = await logprobs({ model_type: 'llama' });
  expect(difference(await logprobs(smeared, smearing([0, 0, 1])), llama)).toBeLessThan(1e-6);
  expect(difference(await logprobs(smeared, smearing([0, 1, 1])), llama)).toBeGreaterThan(0.01);
});
