// Properties of every architecture with rotary positions, whatever its weights: one table over all of them.
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { continuationExample as example } from '../../test/reference/continuation-example.js';
import { architectureFor } from './architectures.js';
import { allFamilies } from '../decoder/all-families.js';
import { rotaryShare } from '../decoder/families/gpt-neox.js';
import { FamilyConfig } from '../decoder/family.js';
import { gpt2Config } from '../decoder/gpt2-config.js';
import { LanguageModel } from './language-model.js';
import { wordLevelTokenizer } from '@bowyer/text';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, terminatorIds: [] };

describe.each<Record<string, unknown>>([
  { model_type: 'llama', num_key_value_heads: 4, tie_word_embeddings: true },
  { model_type: 'llama', num_key_value_heads: 1, attention_bias: true },
  { model_type: 'mistral', num_key_value_heads: 2, sliding_window: 5 },
  { model_type: 'qwen2', num_key_value_heads: 2, use_sliding_window: true, sliding_window: 3, max_window_layers: 1 },
  { model_type: 'qwen3', num_key_value_heads: 2, head_dim: 6 },
  { model_type: 'gpt_neox', rotary_pct: 0.5 },
  { model_type: 'gpt_neox', rotary_pct: 1, use_parallel_residual: false, tie_word_embeddings: true },
])('%j', (changes) => {
  const config = {
    hidden_size: 16,
    intermediate_size: 20,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    max_position_embeddings: 48,
    initializer_range: 0.5, // large enough for attention to matter
    ...changes,
  };
  const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
  const token = (rng: Rng) => rng.integer(3, tokenizer.vocabSize - 1);

  test('cached = uncached: over several turns of ragged slots the sampler gives the log-probabilities of the scorer', async () => {
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
    const episodes = await model.openEpisodes({ slots: 3 });
    const rng = new Rng(2);
    for (let turn = 0; turn < 3; turn++) {
      const turns = [2, 0, 1].map((slot) => ({
        slot,
        tokens: Array.from({ length: 1 + ((slot + turn) % 3) }, () => token(rng)),
        rng,
      }));
      const before = turns.map(({ slot, tokens }) => [...episodes.context(slot), ...tokens]);
      const said = await episodes.act(turns, { ...greedy, greedy: turn === 1, maxNewTokens: 5 });
      const scores = await model.logprobs(said.map(({ ids }, i) => example(before[i], ids)));
      said.forEach(({ ids, logprobs }, i) => {
        expect(ids).toHaveLength(5);
        logprobs.forEach((logprob, t) =>
          expect(Math.abs(logprob - scores[i][before[i].length - 1 + t])).toBeLessThan(1e-4),
        );
      });
    }
    await episodes.close();
    await model.release();
  });

  test('it learns one sentence by heart', async () => {
    const model = await LanguageModel.create({
      device,
      config: { ...config, initializer_range: 0.1 },
      tokenizer,
      rng: new Rng(3),
    });
    const optimizer = await model.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const ids = tokenizer.encode('is it a dog or is it a cat ?');
    const losses: number[] = [];
    for (let step = 0; step < 80; step++) {
      losses.push((await model.accumulateGradients([example(ids.slice(0, 1), ids.slice(1))])).loss);
      await optimizer.step({ lr: 0.02, maxGradNorm: 1 });
    }
    expect(losses[0]).toBeGreaterThan(15); // 9 tokens of about ln 13 nats each
    expect(losses.at(-1)).toBeLessThan(0.1);
    await model.release();
  });
});

test('GPT-NeoX: how much of a head turns, in each spelling of the file', () => {
  const sizes = { hidden_size: 32, num_attention_heads: 4 };
  const config = (json: object) => new FamilyConfig('gpt_neox', allFamilies.gpt_neox, { ...sizes, ...json });
  const rotary = (json: object) => config(json).rotary({ share: rotaryShare(config(json)) }).frequencies;
  expect(rotary({})).toHaveLength(1); // a quarter of eight columns, in pairs
  expect(rotary({ rotary_pct: 1, rotary_emb_base: 100 })).toHaveLength(4);
  expect(rotary({ partial_rotary_factor: 0.5 })).toHaveLength(1); // the class reads no such field at the top
  const rope_parameters = { rope_type: 'default', rope_theta: 100, partial_rotary_factor: 0.5 };
  expect(rotary({ rope_parameters, rotary_pct: 1 })).toEqual(rotary({ rotary_pct: 0.5, rotary_emb_base: 100 }));
  const llama = { model_type: 'llama', rope_parameters };
  expect(() => architectureFor(llama)).toThrow('rope_parameters.partial_rotary_factor is 0.5, which is not supported');
});

test('GPT-2 under the names of other models', () => {
  const sizes = { hidden_size: 8, num_attention_heads: 2, num_hidden_layers: 3, max_position_embeddings: 16 };
  expect(gpt2Config(sizes)).toMatchObject({ n_embd: 8, n_head: 2, n_layer: 3, n_positions: 16 });
});
