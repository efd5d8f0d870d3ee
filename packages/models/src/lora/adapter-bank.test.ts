// Tests a batch in which each row has its own adapter, against a graph with one adapter, while other adapters are loaded and released.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable } from '@bowyer/graph';
import { newFolder, when } from '@bowyer/testing';
import { wordLevelTokenizer } from '@bowyer/text';
import { continuationExample as example } from '../../test/reference/continuation-example.js';
import type { Episodes } from '../decoding/episodes.js';
import type { GeneratedUtterance } from '../decoding/turns.js';
import { LanguageModel } from '../language-model/language-model.js';
import type { LoadedAdapter } from './adapter-bank.js';
import type { LoraOptions } from './lora-options.js';

let device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const sizes = { hidden_size: 32, intermediate_size: 48, num_hidden_layers: 2, num_attention_heads: 4 };
const families: Record<string, Record<string, unknown>> = {
  gpt2: { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 32, n_positions: 96 },
  llama: {
    model_type: 'llama',
    num_key_value_heads: 2,
    max_position_embeddings: 96,
    tie_word_embeddings: false,
    ...sizes,
  },
  gpt_neox: { model_type: 'gpt_neox', rotary_pct: 0.5, max_position_embeddings: 96, ...sizes },
  lfm2: {
    model_type: 'lfm2',
    ...sizes,
    num_hidden_layers: 3,
    layer_types: ['conv', 'full_attention', 'conv'],
    num_key_value_heads: 2,
    max_position_embeddings: 96,
    block_auto_adjust_ff_dim: false,
  },
};
/** The adapters differ in rank, scale and layers. */
const kinds: Record<string, Omit<LoraOptions, 'dropout'>> = {
  first: { r: 4, alpha: 8, targetModules: 'all-linear' },
  second: { r: 3, alpha: 5, rankStabilized: true, targetModules: null },
  third: { r: 2, alpha: 2, targetModules: 'all-linear', alphaPattern: { '.*1\\..*': 9 } },
};

/** Writes a base with random weights, and adapters with random A and B beside it. */
async function directories(family: string): Promise<{ dir: string; adapters: string[] }> {
  const dir = join(folder, family);
  const config = { ...families[family], initializer_range: 0.2 };
  const base = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });
  await base.save(dir);
  await base.release();
  const adapters: string[] = [];
  for (const [name, options] of Object.entries(kinds)) {
    const targetModules = options.targetModules ?? (family === 'lfm2' ? ['q_proj', 'in_proj'] : null);
    const lora = { ...options, targetModules, dropout: 0, seed: 1 };
    const model = await LanguageModel.load({ device, dir, lora });
    const rng = Rng.forPurpose(5, name);
    const tensors = await model.copyParameters();
    for (const { data } of Object.values(tensors)) data.forEach((_, i) => (data[i] = 0.5 * rng.normal()));
    await model.restoreParameters(tensors);
    adapters.push(join(folder, `${family}-${name}`));
    await model.save(adapters.at(-1)!);
    await model.release();
  }
  return { dir, adapters };
}

const bankFor = (dirs: readonly string[], places = dirs.length) => ({ places, rank: null, targetModules: null, dirs });

async function withLoaded(dir: string, dirs: readonly string[], quantization: '4bit' | '8bit' | 'none' = 'none') {
  const model = await LanguageModel.load({ device, dir, quantization, adapterBank: bankFor(dirs, dirs.length + 1) });
  const bank = model.adapterBank!;
  const adapters: (LoadedAdapter | null)[] = [null];
  for (const each of dirs) adapters.push(await bank.load(await bank.read(each)));
  return { model, bank, adapters };
}

const sentence = tokenizer.encode('is it a dog or is it a cat ?');
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 7, terminatorIds: [] };
const promptOf = (i: number) => sentence.slice(i % 2, 4 + i);

/** Samples two turns: the second continues the first. */
async function said(
  episodes: Episodes,
  slots: readonly { slot: number; seed: number; adapter?: LoadedAdapter | null }[],
) {
  const rngs = slots.map(({ seed }) => new Rng(seed));
  const turns = (tokens: (i: number) => number[]) =>
    slots.map(({ slot, seed, adapter }, i) => ({ slot, adapter, rng: rngs[i], tokens: tokens(seed) }));
  const first = await episodes.act(turns(promptOf), sampling);
  const second = await episodes.act(
    turns((seed) => sentence.slice(seed, seed + 2)),
    sampling,
  );
  return slots.map((_, i) => [first[i], second[i]]);
}

function expectClose(found: readonly GeneratedUtterance[], wanted: readonly GeneratedUtterance[], tolerance: number) {
  found.forEach(({ ids, logprobs }, turn) => {
    expect(ids).toEqual(wanted[turn].ids);
    logprobs.forEach((x, t) => expect(Math.abs(x - wanted[turn].logprobs[t])).toBeLessThan(tolerance));
  });
}

describe.each(Object.keys(families))('%s', (family) => {
  test('in a mixed batch each row is sampled and scored as by the model with its adapter alone', async () => {
    const { dir, adapters: dirs } = await directories(family);
    // Which weights are quantized does not depend on the family.
    for (const quantization of family === 'llama' ? (['none', '8bit', '4bit'] as const) : (['none', '4bit'] as const)) {
      const { model, adapters } = await withLoaded(dir, dirs, quantization);
      const episodes = await model.openEpisodes({ slots: 6 });
      // Two rows have the same adapter, and one none.
      const rows = [0, 1, 2, 3, 1].map((adapter, i) => ({ slot: 5 - i, seed: i, adapter: adapters[adapter] }));
      const mixed = await said(episodes, rows);
      await episodes.close();
      for (const adapter of adapters) {
        const alone = await LanguageModel.load({ device, dir: adapter?.dir ?? dir, quantization });
        const single = await alone.openEpisodes({ slots: 1 });
        for (const [i] of [...rows.entries()].filter(([, row]) => row.adapter === adapter)) {
          const [wanted] = await said(single, [{ slot: 0, seed: i }]);
          single.truncate(0, 0);
          // Random adapters of this size amplify last bits to 2e-5 at one token of all. Quantised products round the inputs to 8
          // bits, so that a difference in the last bits of a float can become a whole level.
          expectClose(mixed[i], wanted, quantization === 'none' ? 5e-5 : 2e-2);
          const scored = example(promptOf(i), wanted[0].ids);
          const [found] = await model.logprobs([scored], { adapter });
          const [expected] = await alone.logprobs([scored]);
          found.forEach((x, t) => expect(Math.abs(x - expected[t])).toBeLessThan(1e-5));
        }
        await single.close();
        await alone.release();
      }
      expect(mixed[1][0].logprobs).not.toEqual(mixed[4][0].logprobs);
      await model.release();
    }
  });
});

describe('with a llama', () => {
  let dir: string;
  let dirs: string[];
  beforeAll(async () => ({ dir, adapters: dirs } = await directories('llama')));

  test('loading and unloading beside it changes no bit of another adapter', async () => {
    const { model, bank, adapters } = await withLoaded(dir, dirs.slice(0, 2));
    const play = async (between: () => Promise<void>) => {
      const episodes = await model.openEpisodes({ slots: 2 });
      const rngs = [new Rng(1), new Rng(2)];
      const turn = (tokens: number[]) =>
        episodes.act(
          [adapters[1], null].map((adapter, slot) => ({ slot, adapter, rng: rngs[slot], tokens })),
          { ...sampling, maxNewTokens: 2 },
        );
      const all = [await turn(sentence)];
      for (let round = 0; round < 4; round++) {
        if (round === 1) await between();
        all.push(await turn([]));
      }
      await episodes.close();
      return all;
    };
    const undisturbed = await play(() => Promise.resolve());
    const disturbed = await play(async () => {
      bank.unload(adapters[2]!);
      await bank.load(await bank.read(dirs[0]));
      await bank.load(await bank.read(dirs[1]));
    });
    expect(disturbed).toEqual(undisturbed);
    await model.release();
  });

  test('weights that are too large for a row of one adapter leave the others as they are', async () => {
    const { model, bank, adapters } = await withLoaded(dir, dirs.slice(0, 1));
    const huge = await bank.read(dirs[0]);
    for (const { data } of Object.values(huge.tensors)) data.fill(1e38);
    const play = async () => {
      const episodes = await model.openEpisodes({ slots: 1 });
      const [turns] = await said(episodes, [{ slot: 0, seed: 1, adapter: adapters[1] }]);
      await episodes.close();
      return turns;
    };
    const before = await play();
    await bank.load(huge);
    expect(await play()).toEqual(before);
    await model.release();
  });

  test('prompts share what they begin with among those of one adapter alone', async () => {
    const { model, adapters } = await withLoaded(dir, dirs.slice(0, 2));
    const prompt = [0, 1, 2, 3].flatMap(() => sentence);
    const act = async (episodes: Episodes, of: readonly number[], tokens = prompt) => {
      const before = episodes.promptTokens.copied;
      const turns = of.map((adapter, slot) => ({ slot, adapter: adapters[adapter], rng: new Rng(slot), tokens }));
      const uttered = await episodes.act(turns, { ...sampling, maxNewTokens: 3 });
      return { uttered, copied: episodes.promptTokens.copied - before };
    };
    const together = await model.openEpisodes({ slots: 4 });
    const { uttered, copied } = await act(together, [1, 2, 1, 0]);
    expect(copied).toBe(prompt.length - 1); // the third slot copies it from the first
    for (const [i, adapter] of [1, 2, 1, 0].entries()) {
      const alone = await model.openEpisodes({ slots: 4 });
      const own = await alone.act([{ slot: 0, adapter: adapters[adapter], rng: new Rng(i), tokens: prompt }], {
        ...sampling,
        maxNewTokens: 3,
      });
      expectClose([uttered[i]], own, 1e-5);
      await alone.close();
    }
    // A slot continues with another adapter: all of its context is read again, with the result of a slot that has only that adapter.
    const changed = await act(together, [2], []);
    expect(together.adapter(0)).toBe(adapters[2]);
    const fresh = await model.openEpisodes({ slots: 1 });
    const whole = [...prompt, ...uttered[0].ids];
    const again = await fresh.act([{ slot: 0, adapter: adapters[2], rng: new Rng(0), tokens: whole }], {
      ...sampling,
      maxNewTokens: 3,
    });
    expectClose(changed.uttered, again, 1e-5);
    await fresh.close();
    await together.close();
    await model.release();
  });

  test('what has no room, is not loaded, or is not served beside others is refused by name', async () => {
    const { model, bank, adapters } = await withLoaded(dir, dirs.slice(1, 2));
    expect(bank.free).toBe(1);
    await expect(bank.read(dirs[0])).rejects.toThrow(
      'the rank of model.layers.0.self_attn.q_proj is 4, and there is room for 3\n  start the server with task.max_adapter_rank=4',
    );
    await expect(bank.read(dirs[2])).rejects.toThrow('it adapts model.layers.0.self_attn.k_proj, which has no room');
    const config = join(dirs[1], 'adapter_config.json');
    const plain = await readFile(config, 'utf8');
    await writeFile(config, JSON.stringify({ ...(JSON.parse(plain) as object), use_dora: true }));
    await expect(bank.read(dirs[1])).rejects.toThrow('use_dora is true');
    await writeFile(config, JSON.stringify({ ...(JSON.parse(plain) as object), modules_to_save: ['embed_tokens'] }));
    await expect(bank.read(dirs[1])).rejects.toThrow('modules_to_save is ["embed_tokens"]');
    // The caller that loads the adapter names its base.
    await writeFile(
      config,
      JSON.stringify({ ...(JSON.parse(plain) as object), base_model_name_or_path: 'elsewhere/base' }),
    );
    expect((await bank.read(dirs[1])).base).toBeNull();
    await writeFile(config, plain);
    const second = await bank.load(await bank.read(dirs[1]));
    await expect(bank.read(dirs[1]).then((read) => bank.load(read))).rejects.toThrow('there is room for 2 adapters');
    bank.unload(second);
    const episodes = await model.openEpisodes({ slots: 1 });
    const turn = (adapter: LoadedAdapter | null) => ({ slot: 0, adapter, rng: new Rng(1), tokens: sentence });
    await expect(episodes.act([turn(second)], sampling)).rejects.toThrow('is not loaded');
    await episodes.close();
    const plainModel = await LanguageModel.load({ device, dir });
    const plainEpisodes = await plainModel.openEpisodes({ slots: 1 });
    await expect(plainEpisodes.act([turn(adapters[1])], sampling)).rejects.toThrow('without room for any');
    await plainEpisodes.close();
    await expect(LanguageModel.load({ device, dir: dirs[0], adapterBank: bankFor([dirs[0]]) })).rejects.toThrow(
      'is an adapter itself',
    );
    for (const each of [model, plainModel]) await each.release();
  });
});

when(await webgpuAvailable(), 'no WebGPU adapter').test('on a GPU a mixed batch is that of the CPU', async () => {
  const { dir, adapters: dirs } = await directories('llama');
  const onCpu = device;
  const play = async () => {
    const { model, adapters } = await withLoaded(dir, dirs);
    const episodes = await model.openEpisodes({ slots: 4 });
    const turns = await said(
      episodes,
      adapters.map((adapter, slot) => ({ slot, seed: slot, adapter })),
    );
    await episodes.close();
    await model.release();
    return turns;
  };
  const wanted = await play();
  device = await openDevice({ device: 'webgpu', threads: 1 });
  try {
    (await play()).forEach((turns, i) => expectClose(turns, wanted[i], 1e-3));
  } finally {
    await device.close();
    device = onCpu;
  }
});
