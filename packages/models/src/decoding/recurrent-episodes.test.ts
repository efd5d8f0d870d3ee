// Tests the cached states of recurrent layers over several turns: the log-probabilities of decoding equal those of scoring whole
// contexts.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { formulaWeights, tokenIds } from '../../test/families/formula-weights.js';
import { architectureFor } from '../language-model/architectures.js';
import { TokenScorer } from '../training/token-scorer.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';

const sizes = {
  vocab_size: 29,
  hidden_size: 16,
  intermediate_size: 20,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 200,
};
const configs = [
  { ...sizes, model_type: 'smeared_llama', num_hidden_layers: 2, key_convolution_tokens: 3 },
  { ...sizes, model_type: 'canon_llama', num_hidden_layers: 2, hidden_size: 32, canon_kernel: 3 },
  {
    ...sizes,
    model_type: 'lfm2',
    num_hidden_layers: 3,
    block_multiple_of: 4,
    layer_types: ['conv', 'full_attention', 'conv'],
  },
  {
    ...sizes,
    model_type: 'qwen3_5_text',
    num_hidden_layers: 2,
    head_dim: 8,
    layer_types: ['linear_attention', 'full_attention'],
    linear_key_head_dim: 5,
    linear_value_head_dim: 4,
    linear_num_key_heads: 2,
    linear_num_value_heads: 4,
  },
];

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [3, 7] };

describe.each(configs)('$model_type', (config) => {
  const architecture = architectureFor(config);
  const open = async (contextLength = 60) => {
    const parameters = await device.createState(formulaWeights(architecture.parameters));
    const options = { device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 };
    const [programs, scorer] = [new DecodePrograms(options), new TokenScorer(options)];
    const episodes = await Episodes.open({ programs, contextLength, slots: 4, prefillChunk: 4 });
    /**
     * Adds tokens to the contexts of slots, samples utterances, and compares the log-probability of every sampled token with that
     * of scoring the whole context.
     */
    const act = async (turns: Record<number, readonly number[]>, maxNewTokens = 5) => {
      const slots = Object.keys(turns).map(Number);
      const before = slots.map((slot) => [...episodes.context(slot), ...turns[slot]]);
      const said = await episodes.act(
        slots.map((slot) => ({ slot, tokens: turns[slot], rng: new Rng(1) })),
        { ...sampling, maxNewTokens },
      );
      const examples = said.map(({ ids, contextTokens }, i) => {
        const seen = before[i].slice(-contextTokens);
        const all = [...seen, ...ids];
        const targets = Int32Array.from(all.slice(1));
        return { ids: Int32Array.from(all.slice(0, -1)), targets, weights: new Float32Array(targets.length).fill(1) };
      });
      const scores = await scorer.logprobs(examples);
      said.forEach(({ logprobs, contextTokens }, i) =>
        logprobs.forEach((logprob, t) =>
          expect(Math.abs(logprob - scores[i][contextTokens - 1 + t])).toBeLessThan(5e-5),
        ),
      );
      return said.map(({ ids }) => ids);
    };
    return { episodes, act };
  };
  const tokens = (name: string, count: number) => tokenIds(name, count, config.vocab_size);

  test('turns of unequal lengths, in chunks, with rows that end early and change places', async () => {
    const { episodes, act } = await open();
    await act({ 0: tokens('a', 9), 1: tokens('b', 1), 2: tokens('c', 4), 3: tokens('d', 14) }, 8);
    await act({ 3: tokens('e', 2), 1: tokens('f', 6) });
    await act({ 2: tokens('g', 1), 0: tokens('h', 3), 3: tokens('i', 5), 1: tokens('j', 2) });
    await episodes.close();
  });

  test('rows whose prompts are much longer come first and are read for themselves', async () => {
    const { episodes, act } = await open(190);
    await act({ 0: tokens('a', 2), 1: tokens('b', 90), 2: tokens('c', 1), 3: tokens('d', 71) });
    await act({ 0: tokens('e', 100), 1: tokens('f', 3), 2: tokens('g', 75), 3: tokens('h', 1) });
    await episodes.close();
  });

  test('a slot goes back to its prompt, to the middle of an utterance, and to before both', async () => {
    const { episodes, act } = await open();
    const [first] = await act({ 1: tokens('a', 9), 2: tokens('b', 5) }, 6);
    episodes.truncate(1, 9);
    const [again] = await act({ 1: [] }, 6);
    expect(again).toEqual(first);
    episodes.truncate(1, 9);
    await act({ 2: tokens('d', 2), 1: tokens('c', 3) });
    episodes.truncate(1, 9 + 3 + 1);
    await act({ 1: tokens('e', 2) });
    episodes.truncate(1, 4);
    await act({ 1: tokens('f', 2), 0: tokens('g', 3) });
    episodes.truncate(1, 0);
    await act({ 1: tokens('h', 4) });
    await act({ 1: [] }); // continues from the last sampled token
    await episodes.close();
  });

  test('the common prefix of prompts is read once, and the states after it are copied', async () => {
    const { episodes, act } = await open();
    const task = tokens('a', 36);
    await act({ 0: [...task, 1], 1: tokens('b', 3), 2: [...task, ...tokens('c', 4)], 3: task }, 4);
    expect(episodes.promptTokens.copied).toBe(2 * 35);
    await act({ 2: tokens('d', 2), 0: tokens('e', 3) });
    await episodes.close();
  });

  test('a context that outgrows the model is read again from where it is cut', async () => {
    const { episodes, act } = await open();
    for (const name of ['a', 'b', 'c']) await act({ 0: tokens(name, 25) }, 4);
    expect(episodes.length(0)).toBeGreaterThan(60);
    await episodes.close();
  });
});
