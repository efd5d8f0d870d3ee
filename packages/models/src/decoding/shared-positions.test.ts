// Tests that slots which share the first positions of their caches (a shared prefix) generate the same utterances as each slot
// alone.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { architectureFor } from '../language-model/architectures.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';

const config = tinyConfig({ n_positions: 512, vocab_size: 13, n_embd: 64, n_head: 4 });
const small = {
  vocab_size: 13,
  num_hidden_layers: 2,
  initializer_range: 0.3, // large enough for attention to matter
};
/** A model with grouped-query attention and a sliding window that is shorter than the prefix that rows share. */
const mistral = architectureFor({
  ...small,
  model_type: 'mistral',
  hidden_size: 128,
  intermediate_size: 40,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 512,
  sliding_window: 50,
});
/** A model whose attention has biases that depend on positions (ALiBi). */
const bloom = architectureFor({ ...small, model_type: 'bloom', hidden_size: 32, n_layer: 2, n_head: 4 });
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, terminatorIds: [3] };
const tokens = (length: number, seed: number) => {
  const rng = new Rng(seed);
  return Array.from({ length }, () => rng.integer(4, 12));
};

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

test.each([
  { architecture: gpt2(config), tensors: () => tinyParameters(config, 21), packed: true },
  { architecture: mistral, tensors: () => initializeParameters(mistral.parameters, new Rng(5)), packed: false },
  { architecture: bloom, tensors: () => initializeParameters(bloom.parameters, new Rng(6)), packed: false },
])('slots with common beginnings say what each says alone: $architecture.config.model_type', async (model) => {
  const { architecture, tensors, packed } = model;
  const parameters = await device.createState(tensors());
  const programs = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed });
  const open = (slots: number, sharesPrefixes: boolean) =>
    Episodes.open({ programs, contextLength: 400, slots, sharesPrefixes });
  const pool = (await programs.openPool(1 << 22))!;
  const episodes = await Episodes.open({ programs, contextLength: 400, slots: 6, sharesPrefixes: true, pool });
  const alone = async (context: readonly number[], seed: number, maxNewTokens: number) => {
    const own = await open(1, false);
    const [{ ids, logprobs }] = await own.act([{ slot: 0, tokens: context, rng: new Rng(seed) }], {
      ...sampling,
      maxNewTokens,
    });
    await own.close();
    return { ids, logprobs };
  };
  const system = tokens(100, 1);
  const rng = new Rng(8);
  for (let round = 0; round < 14; round++) {
    const turns = [0, 1, 2, 3, 4, 5].flatMap((slot) => {
      if (rng.uniform() < 0.4) return [];
      const seed = 10 * round + slot;
      const before = episodes.context(slot);
      const roll = rng.uniform();
      if (before.length > 0 && roll < 0.3) episodes.truncate(slot, rng.integer(0, before.length - 1));
      else if (before.length > 250 || (before.length > 0 && roll < 0.6)) episodes.truncate(slot, 0);
      const start = episodes.length(slot) > 0 ? [] : system.slice(0, rng.uniform() < 0.8 ? 100 : rng.integer(1, 99));
      return [{ slot, tokens: [...start, ...tokens(rng.integer(1, 40), 1000 + seed)], rng: new Rng(seed), seed }];
    });
    if (turns.length === 0) continue;
    const contexts = turns.map(({ slot, tokens: own }) => [...episodes.context(slot), ...own]);
    const maxNewTokens = rng.integer(1, 9);
    const said = await episodes.act(turns, { ...sampling, maxNewTokens });
    for (const [i, { ids, logprobs }] of said.entries()) {
      const expected = await alone(contexts[i], turns[i].seed, maxNewTokens);
      expect(ids).toEqual(expected.ids);
      logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(expected.logprobs[t], 3));
    }
    if (round % 2 === 1) await episodes.retain([0, 3]);
  }
  expect(episodes.promptTokens.copied).toBeGreaterThan(500);
  await episodes.close();
  await pool.close();
  await programs.release();
});
