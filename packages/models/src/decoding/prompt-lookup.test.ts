// Guessing tokens changes how often the graph runs, and no token.
import { Rng } from '@bowyer/core';
import { openDevice, type Device, type State } from '@bowyer/graph';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import { draftTokens } from './prompt-lookup.js';
import type { SamplingOptions } from './sampling-options.js';

const config = tinyConfig({ n_positions: 64, vocab_size: 5 }); // few tokens, so that texts repeat themselves
let device: Device;
let parameters: State;
let programs: DecodePrograms;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  parameters = await device.createState(tinyParameters(config, 21));
  programs = new DecodePrograms({ device, architecture: gpt2(config), parameters, maskedTokenIds: [] });
});
afterAll(() => device.close());

test('a draft is what followed the latest place that ends alike, three tokens before two', () => {
  expect(draftTokens([1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3], 2)).toEqual([4, 9]);
  expect(draftTokens([8, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3], 9)).toEqual([5, 1, 2, 3]);
  expect(draftTokens([1, 2, 3], 4)).toEqual([]);
  expect(draftTokens([1, 2, 1, 2], 0)).toEqual([]);
});

const plain: SamplingOptions = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 12,
  terminatorIds: [4],
};

/** Three turns of three dialogues, of which one ends early. */
async function played(options: SamplingOptions) {
  const episodes = await Episodes.open({ programs, contextLength: 40, slots: 3 });
  const utterances = [];
  for (let turn = 0; turn < 3; turn++) {
    const turns = [0, 1, 2].slice(0, turn === 1 ? 2 : 3).map((slot) => ({
      slot,
      tokens: [1, 2, 3, 1, 2, 3, 1 + slot],
      rng: new Rng(10 * turn + slot),
    }));
    utterances.push(...(await episodes.act(turns, options)));
  }
  const { drafts } = episodes;
  await episodes.close();
  return { utterances, drafts };
}

test.each<[string, Partial<SamplingOptions>]>([
  ['sampled', {}],
  ['sampled at a temperature among the best', { temperature: 0.7, topK: 4, topP: 0.9 }],
  ['greedy', { greedy: true, terminatorIds: [] }],
])('the tokens are those of single steps: %s', async (_, changes) => {
  const single = await played({ ...plain, ...changes });
  const guessed = await played({ ...plain, ...changes, draftTokens: 4 });
  expect(single.drafts).toEqual({ guessed: 0, accepted: 0 });
  expect(guessed.drafts.accepted).toBeGreaterThan(0);
  expect(guessed.drafts.guessed).toBeGreaterThanOrEqual(guessed.drafts.accepted);
  guessed.utterances.forEach(({ logprobs, samplingLogprobs, ...utterance }, i) => {
    const { logprobs: expected, samplingLogprobs: sampled, ...rest } = single.utterances[i];
    expect(utterance).toEqual(rest);
    logprobs.forEach((x, t) => expect(x).toBeCloseTo(expected[t], 4));
    samplingLogprobs.forEach((x, t) => expect(x).toBeCloseTo(sampled[t], 4));
  });
});

test('biases of logits are refused with drafts', async () => {
  await expect(played({ ...plain, draftTokens: 2, biasesLogits: true })).rejects.toThrow('draftTokens 2 needs');
});
