import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from './language-model.js';
import { readSafetensors } from './safetensors.js';
import { wordLevelTokenizer } from './word-level-tokenizer.js';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, terminatorIds: [] };
const models = fileURLToPath(new URL('../../../../shared/data/models', import.meta.url));

interface Reference {
  prompts: {
    text: string;
    input_ids: number[];
    continuation_ids: number[];
    continuation_logprobs: number[];
    greedy20_ids: number[];
  }[];
}

describe.each(['llama-stories260k', 'llama-babyllama-105'])('the real checkpoint %s', (name) => {
  const dir = join(models, name);
  const present = existsSync(dir);
  if (!present) console.warn(`skipped: ${dir} is not there`);
  const maybe = present ? test : test.skip;

  maybe('token ids, scores and greedy tokens are those recorded from PyTorch', async () => {
    const model = await LanguageModel.load({ device, dir });
    const { prompts } = JSON.parse(readFileSync(join(dir, 'reference.json'), 'utf8')) as Reference;
    for (const { text, input_ids } of prompts) expect(model.tokenizer.encodeWithSpecials(text)).toEqual(input_ids);
    const scores = await model.logprobs(
      prompts.map(({ input_ids, continuation_ids }) => example(input_ids, continuation_ids)),
    );
    prompts.forEach(({ input_ids, continuation_logprobs }, i) =>
      continuation_logprobs.forEach((expected, t) =>
        expect(Math.abs(scores[i][input_ids.length - 1 + t] - expected)).toBeLessThan(1e-4),
      ),
    );
    const episodes = await model.openEpisodes({ slots: prompts.length });
    const utterances = await episodes.act(
      prompts.map(({ input_ids }, slot) => ({ slot, tokens: input_ids, rng: new Rng(1) })),
      greedy,
    );
    utterances.forEach(({ ids }, i) => expect(ids).toEqual(prompts[i].greedy20_ids));
    await episodes.close();
    await model.release();
  });

  maybe('saved again, the file holds the same tensors bit for bit', async () => {
    const saved = await mkdtemp(join(tmpdir(), 'bowyer-llama-'));
    const model = await LanguageModel.load({ device, dir });
    await model.save(saved);
    const [before, after] = await Promise.all([dir, saved].map((at) => readSafetensors(join(at, 'model.safetensors'))));
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    for (const [tensor, { shape, data }] of Object.entries(before)) {
      expect(after[tensor].shape).toEqual(shape);
      expect(Buffer.compare(Buffer.from(after[tensor].data.buffer), Buffer.from(data.buffer))).toBe(0);
    }
    await model.release();
    await rm(saved, { recursive: true });
  });
});

const example = (prompt: readonly number[], continuation: readonly number[]) => {
  const all = [...prompt, ...continuation];
  return {
    ids: Int32Array.from(all.slice(0, -1)),
    targets: Int32Array.from(all.slice(1)),
    weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= prompt.length - 1)),
  };
};

describe.each<Record<string, unknown>>([
  { model_type: 'llama', num_key_value_heads: 4, tie_word_embeddings: true },
  { model_type: 'llama', num_key_value_heads: 1, attention_bias: true },
  { model_type: 'mistral', num_key_value_heads: 2, sliding_window: 5 },
  { model_type: 'qwen2', num_key_value_heads: 2, use_sliding_window: true, sliding_window: 3, max_window_layers: 1 },
  { model_type: 'qwen3', num_key_value_heads: 2, head_dim: 6 },
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
