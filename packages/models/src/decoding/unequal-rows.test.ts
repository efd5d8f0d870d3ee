// Tests decoding of rows with very different lengths, for which the cache has two capacities: each row gets the same tokens as in
// a call of its own.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { architectureFor } from '../language-model/architectures.js';
import { areUnequal } from './capacity-classes.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';

const config = tinyConfig({ n_positions: 512, vocab_size: 13, n_embd: 64, n_head: 4 });
/** A model with grouped-query attention and a sliding window that is shorter than some rows' contexts. */
const mistral = architectureFor({
  model_type: 'mistral',
  vocab_size: 13,
  hidden_size: 128,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 1024,
  initializer_range: 0.3, // large enough for attention to matter
  sliding_window: 200,
});
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, terminatorIds: [3] };
/**
 * The lengths of the rows in each turn: long rows come after short ones, new long rows are added, some rows end before others,
 * and the last turn has only a few rows.
 */
const turns = [
  { lengths: [20, 30, 350, 25, 10, 340], maxNewTokens: 9 },
  { lengths: [300, 5, 4, 5, 6, 90], maxNewTokens: 4 },
  { lengths: [0, 3, 0, 4, 0, 0], maxNewTokens: 5 },
];

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Plays the turns with the given slots in one cache, and returns their utterances by turn. */
async function play(programs: DecodePrograms, slots: readonly number[]) {
  const episodes = await Episodes.open({ programs, contextLength: 512, slots: slots.length, leastShared: 600 });
  const said = [];
  for (const [turn, { lengths, maxNewTokens }] of turns.entries()) {
    const given = slots.flatMap((own, slot) => {
      const rng = new Rng(100 * turn + own);
      const tokens = Array.from({ length: lengths[own] }, () => rng.integer(4, 12));
      return tokens.length > 0 ? [{ slot, tokens, rng }] : [];
    });
    if (given.length > 0) said.push(...(await episodes.act(given, { ...sampling, maxNewTokens })));
  }
  await episodes.close();
  return said.map(({ slot, ids, logprobs }) => ({ slot: slots[slot], ids, logprobs: [...logprobs] }));
}

test.each([
  { architecture: gpt2(config), tensors: () => tinyParameters(config, 21), packed: false },
  { architecture: mistral, tensors: () => initializeParameters(mistral.parameters, new Rng(5)), packed: true },
])('rows say what each says alone: $architecture.config.model_type, packed $packed', async (model) => {
  const { architecture, tensors, packed } = model;
  const { keyValueHeads, headSize } = architecture;
  expect(areUnequal(turns[0].lengths, { positionBytes: 2 * 4 * keyValueHeads * headSize })).toBe(true);
  const parameters = await device.createState(tensors());
  const programs = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed });
  const together = await play(programs, [0, 1, 2, 3, 4, 5]);
  for (const own of [1, 2, 3]) {
    const alone = await play(programs, [own]);
    const here = together.filter(({ slot }) => slot === own);
    expect(here.map(({ ids }) => ids)).toEqual(alone.map(({ ids }) => ids));
    here.forEach(({ logprobs }, i) =>
      logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(alone[i].logprobs[t], 5)),
    );
  }
  // A single row needs only one capacity. Programs that have decoded no other rows support only one, and give the same numbers as
  // those that support two.
  const fresh = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed });
  expect(await play(fresh, [1])).toEqual(await play(programs, [1]));
  const batch = await fresh.forBatch({ kind: 'mixed' }, { lengths: [20, 20], width: 20 });
  expect(batch.classes).toBe(1);
  await fresh.done(batch);
  await fresh.release();
  await programs.release();
});
