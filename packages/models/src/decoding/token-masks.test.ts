import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { describeOnDevices } from '@bowyer/testing';
import { gpt2LoopLogits, logprobOf } from '../../test/reference/gpt2-loops.js';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import type { SlotInput } from './turns.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { tokenMaskInput } from './logit-inputs.js';
import { noLogitRules } from './logit-rules.js';
import type { SamplingOptions } from './sampling-options.js';

// A mask over this vocabulary of 40 tokens has two 32-bit words, of which the second is only partly used.
const config = tinyConfig({ n_positions: 40, vocab_size: 40 });
const tensors = tinyParameters(config, 21);
const PADDING = 5;
const PROMPT = [1, 2, 3];

const maskOf = (ids: readonly number[]) => {
  const mask = new Uint32Array(2);
  for (const id of ids) mask[id >>> 5] |= 1 << (id & 31);
  return mask;
};

describeOnDevices(await webgpuAvailable(), (kind) => {
  let device: Device;
  let programs: DecodePrograms;
  let episodes: Episodes;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
    const parameters = await device.createState(tinyParameters(config, 21));
    programs = new DecodePrograms({ device, architecture: gpt2(config), parameters, maskedTokenIds: [PADDING] });
    episodes = await Episodes.open({ programs, contextLength: 40, slots: 6 });
  });
  afterAll(async () => {
    await episodes.close();
    await programs.release();
    await device.close();
  });

  const sampling: SamplingOptions = {
    temperature: 1,
    topK: 0,
    topP: 1,
    greedy: false,
    maxNewTokens: 1,
    terminatorIds: [],
    masksTokens: true,
  };

  /** The logits after the prompt, computed by plain float64 loops; the padding token can never be sampled. */
  const logits = [...gpt2LoopLogits(config, tensors, PROMPT).at(-1)!].map((x, id) => (id === PADDING ? -1e9 : x));
  const among = (ids: readonly number[], by = (x: number) => x) =>
    logits.map((x, id) => (ids.includes(id) ? by(x) : -1e25));

  const act = (
    turns: Omit<SlotInput, 'rng' | 'reset' | 'tokens'>[],
    options: Partial<SamplingOptions> = {},
    seed = 1,
  ) =>
    episodes.act(
      turns.map((turn) => ({ ...turn, reset: true, tokens: PROMPT, rng: new Rng(seed + turn.slot) })),
      { ...sampling, ...options },
    );

  const variants: { options: Partial<SamplingOptions>; turn?: Partial<SlotInput> }[] = [
    { options: {} },
    { options: { greedy: true } },
    { options: { temperature: 0.5 } },
    { options: { temperature: 100 } },
    { options: { topK: 2 } },
    { options: { topP: 0.5, temperature: 2 } },
    { options: { biasesLogits: true }, turn: { logitBias: [[0, 100]] } },
    {
      options: { appliesRules: true },
      turn: { rules: { ...noLogitRules, repetitionPenalty: 100, suppressedIds: [33, 39] } },
    },
  ];

  test.each(variants)('only tokens of the mask are chosen: $options', async ({ options, turn }) => {
    const allowed = [2, 33, 39];
    for (const seed of [0, 100, 200]) {
      const slots = [0, 1, 2, 3, 4, 5];
      const played = await act(
        slots.map((slot) => ({ slot, tokenMask: maskOf(allowed), ...turn })),
        options,
        seed,
      );
      for (const { ids, logprobs, maskedLogprobs } of played) {
        expect(allowed).toContain(ids[0]);
        expect(logprobs[0]).toBeCloseTo(logprobOf(logits, ids[0]), 4); // the log-probability without the mask
        expect(maskedLogprobs![0]).toBeCloseTo(logprobOf(among(allowed), ids[0]), 4);
      }
    }
  });

  test('at temperature 1 the sampled distribution is that of the masked log-probability, else the tempered one', async () => {
    const tokenMask = maskOf([2, 33, 39]);
    const [plain] = await act([{ slot: 0, tokenMask }]);
    expect(plain.samplingLogprobs[0]).toBeCloseTo(plain.maskedLogprobs![0], 5);
    const [tempered] = await act([{ slot: 0, tokenMask }], { temperature: 0.5 });
    const halved = among([2, 33, 39], (x) => x / 0.5);
    expect(tempered.samplingLogprobs[0]).toBeCloseTo(logprobOf(halved, tempered.ids[0]), 4);
  });

  test('rows without a mask sample as they would without the option, and beside rows with one', async () => {
    const turns = [{ slot: 0 }, { slot: 1, tokenMask: maskOf([7]) }, { slot: 2, tokenMask: null }];
    const masked = await act(turns);
    const plain = await act([{ slot: 0 }, { slot: 1 }, { slot: 2 }], { masksTokens: false });
    expect(masked[1].ids).toEqual([7]);
    expect(masked[1].maskedLogprobs![0]).toBeCloseTo(0, 5); // the mask allows only this token
    for (const row of [0, 2]) {
      expect(masked[row].ids).toEqual(plain[row].ids);
      expect(masked[row].maskedLogprobs![0]).toBeCloseTo(plain[row].logprobs[0], 5);
    }
    expect(plain[0].maskedLogprobs).toBeUndefined();
  });

  test("a mask goes before the policy's own masked tokens: padding is chosen where nothing else may be", async () => {
    const [{ ids }] = await act([{ slot: 0, tokenMask: maskOf([PADDING]) }]);
    expect(ids).toEqual([PADDING]);
  });

  test('mistakes are named', async () => {
    const tokenMask = maskOf([1]);
    await expect(act([{ slot: 0, tokenMask }], { masksTokens: false })).rejects.toThrow(
      'slot 0 has a token mask, which needs the option masksTokens',
    );
    await expect(act([{ slot: 0, tokenMask }], { maxNewTokens: 2 })).rejects.toThrow(
      'a token mask is that of one token, and maxNewTokens is 2',
    );
    await expect(act([{ slot: 0, tokenMask: maskOf([]) }])).rejects.toThrow('the token mask of slot 0 allows no token');
  });
});

test('bits become one byte a token; tokens beyond the words are left out, and no mask is all tokens', () => {
  const { token_mask } = tokenMaskInput([Uint32Array.of(0b1001), null, Uint32Array.of(-1, 1, 7)], 34);
  expect(token_mask.dims).toEqual([3, 34]);
  const rows = [0, 1, 2].map((row) => [...token_mask.data.subarray(34 * row, 34 * (row + 1))] as number[]);
  expect(rows[0].flatMap((bit, id) => (bit ? [id] : []))).toEqual([0, 3]);
  expect(rows[1]).toEqual(new Array(34).fill(1));
  expect(rows[2]).toEqual([...new Array<number>(33).fill(1), 0]);
});
