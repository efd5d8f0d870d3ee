// Tests decoding with packed weights against plain float64 loops, and against programs that read the unpacked parameters.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { gpt2LoopLogits } from '../../test/reference/gpt2-loops.js';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { gpt2Config } from '../decoder/gpt2-config.js';
import { weightsToPrepack } from './prepacked-programs.js';
import { samplerFor } from './sampling.js';

const config = tinyConfig({ n_positions: 40, vocab_size: 13 });
const architecture = gpt2(config);
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 6, terminatorIds: [] as number[] };
const sampled = { ...greedy, greedy: false };
const prompts = [[3, 1, 4, 1, 5], [9], [2, 6, 5]];

const device = await openDevice({ device: 'cpu', threads: 1 });
const parameters = await device.createState(tinyParameters(config, 21));
const packed = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed: true });
afterAll(async () => {
  await packed.release();
  await device.close();
});

async function say(programs: DecodePrograms, options: typeof greedy, told = prompts): Promise<number[][]> {
  const episodes = await Episodes.open({ programs, contextLength: 40, slots: told.length });
  try {
    const turns = told.map((tokens, slot) => ({ slot, tokens, rng: new Rng(slot) }));
    return (await episodes.act(turns, options)).map(({ ids }) => ids);
  } finally {
    await episodes.close();
  }
}

/** Continues a prompt greedily with plain float64 loops over GPT-2's formulas. */
function loopGreedy(tensors: ReturnType<typeof tinyParameters>, prompt: number[]): number[] {
  const ids = [...prompt];
  for (let i = 0; i < greedy.maxNewTokens; i++) {
    const logits = gpt2LoopLogits(config, tensors, ids).at(-1)!;
    ids.push(logits.indexOf(Math.max(...logits)));
  }
  return ids.slice(prompt.length);
}

/** Cuts ids after the first terminator. */
function untilOneOf(ids: number[], terminatorIds: readonly number[]): number[] {
  const end = ids.findIndex((id) => terminatorIds.includes(id));
  return end < 0 ? ids : ids.slice(0, end + 1);
}

test('a packed program computes the same as plain loops, with the present parameters', async () => {
  for (const seed of [21, 22]) {
    await device.write(parameters, tinyParameters(config, seed));
    const wanted = prompts.map((prompt) => loopGreedy(tinyParameters(config, seed), prompt));
    expect(await say(packed, greedy)).toEqual(wanted);
    expect(await say(packed, greedy)).toEqual(wanted);
  }
});

test('calls with two samplers at once do not free each other’s program', async () => {
  const plain = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed: false });
  const wanted = [await say(plain, greedy), await say(plain, sampled)];
  const calls = [greedy, sampled, greedy, sampled].map((options) => say(packed, options));
  expect(await Promise.all(calls)).toEqual([...wanted, ...wanted]);
  await plain.release();
});

test('greedy and sampling share a program where they are asked to, and say the same', async () => {
  const plain = new DecodePrograms({ device, architecture, parameters, maskedTokenIds: [], packed: false });
  const cool = { ...sampled, temperature: 0.5 };
  const cut = { ...sampled, topK: 4, topP: 0.8 };
  const all = [greedy, sampled, cool, cut];
  const wanted: number[][][] = [];
  for (const options of all) wanted.push(await say(plain, options));
  expect(wanted[1]).not.toEqual(wanted[0]);
  expect([greedy, sampled, cool, cut].map((options) => samplerFor(options, 13, true))).toEqual(
    Array(4).fill({ kind: 'mixed' }),
  );
  const episodes = await Episodes.open({ programs: packed, contextLength: 40, slots: 3, sharesSampler: true });
  for (const [i, options] of [...all, greedy].entries()) {
    const turns = prompts.map((tokens, slot) => ({ slot, tokens, reset: true, rng: new Rng(slot) }));
    expect((await episodes.act(turns, options)).map(({ ids }) => ids)).toEqual(wanted[i % 4]);
  }
  await episodes.close();
  await plain.release();
});

test('batches whose rows fill the columns of a product step without packed weights, and say what each row says alone', async () => {
  const wide = tinyConfig({ n_positions: 40, vocab_size: 13, n_inner: 11_000 }); // the weights are large, and there are few of them
  const state = await device.createState(tinyParameters(wide, 3));
  const options = { device, architecture: gpt2(wide), parameters: state, maskedTokenIds: [], packed: true };
  const programs = new DecodePrograms(options);
  const batches = Array.from({ length: 14 }, (_, row) => [row % 13, 3, (5 * row) % 13].slice(0, 1 + (row % 3)));
  const wanted: number[][] = [];
  for (const prompt of batches) wanted.push(...(await say(programs, greedy, [prompt])));

  const sizes = [batches.length, 12];
  const [many, fewer] = await Promise.all(
    sizes.map((rows) => programs.forBatch({ kind: 'greedy' }, { lengths: Array<number>(rows).fill(3), width: 3 })),
  );
  expect(many.programs.stepFew).not.toBe(many.programs.prefill);
  expect(fewer.few).toEqual([]);
  await Promise.all([many, fewer].map((batch) => programs.done(batch)));
  // Rows end after different numbers of tokens, so that the batch shrinks below 13 rows.
  for (const terminatorIds of [[], [0, 4, 7]])
    expect(await say(programs, { ...greedy, terminatorIds }, batches)).toEqual(
      wanted.map((ids) => untilOneOf(ids, terminatorIds)),
    );
  await programs.release();
  await device.release(state);
});

test('the weights of products are packed if they are large together and few rows are decoded at once', () => {
  const large = gpt2(gpt2Config({}));
  const names = weightsToPrepack(large, undefined, undefined);
  expect(names.size).toBe(12 * 4 + 1);
  expect(names.has('transformer.wte.weight')).toBe(true); // the tied head's product
  expect(names.has('transformer.wpe.weight')).toBe(false);
  expect(weightsToPrepack(large, undefined, false).size).toBe(0);
  expect([24, 25].map((slots) => weightsToPrepack(large, undefined, undefined, slots).size)).toEqual([names.size, 0]);
  expect(weightsToPrepack(large, undefined, true, 25).size).toBe(names.size);
  expect(weightsToPrepack(architecture, undefined, undefined).size).toBe(0);
});
