// Compares a model with quantised weights with the same model with dequantised weights, and tests on a real checkpoint how far its
// log-probabilities move.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { collected, recordings, newFolder, whenRecorded } from '@bowyer/testing';
import { generateTexts } from '../inference/generate-texts.js';
import { LanguageModel } from '../language-model/language-model.js';
import { scoreContinuations } from '../inference/score-continuations.js';
import { wordLevelTokenizer } from '@bowyer/text';

const folder = newFolder();
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 12, seed: 0, batchSize: 2 };
const prompts = ['is it a dog', 'or is it a cat ?', 'yes . no'].map((prompt) => ({ prompt }));

describe.each(['4bit', '8bit'] as const)('%s', (quantization) => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('scores and generates as the dequantised model does; head tied: %s, integers: %s', async (tied, whole) => {
    const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
    const config = {
      model_type: 'llama',
      hidden_size: 64,
      intermediate_size: 96,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      max_position_embeddings: 32,
      initializer_range: 0.3, // spreads the logits, so that greedy choices do not depend on rounding
      tie_word_embeddings: tied,
    };
    const options = { device, config, tokenizer, quantization, packedDecoding: whole };
    const model = await LanguageModel.create({ ...options, rng: new Rng(3) });
    expect(model.parameters.names.some((name) => name.endsWith('q_proj.weight'))).toBe(false);
    const dir = join(folder, `${quantization}-${tied}-${whole}`);
    await model.save(dir);
    const plain = await LanguageModel.load({ device, dir });

    const said = await collected(generateTexts(model, prompts, { ...greedy, terminatorIds: [] }));
    const items = prompts.map((prompt, i) => ({ ...prompt, continuationIds: said[i].ids }));
    const scores = await collected(scoreContinuations(model, items, { maxTokens: 64 }));
    const wanted = await collected(scoreContinuations(plain, items, { maxTokens: 64 }));
    scores.forEach(({ logprobs }, i) => {
      logprobs.forEach((x, t) => expect(Math.abs(x - wanted[i].logprobs[t])).toBeLessThan(1e-3));
      // Decoding rounds activations and the head to 8 bits.
      expect(mean(said[i].logprobs.map((x, t) => Math.abs(x - wanted[i].logprobs[t])))).toBeLessThan(0.1);
    });
    await Promise.all([model.release(), plain.release()]);
  });
});

/** Samples utterances of 12 tokens after three prompts, with the sampler's log-probabilities. */
async function sampled(model: LanguageModel, integerProducts: boolean) {
  const episodes = await model.openEpisodes({ slots: prompts.length, integerProducts });
  const turns = prompts.map(({ prompt }, slot) => ({
    slot,
    tokens: model.tokenizer.encode(prompt),
    rng: new Rng(slot),
  }));
  const drawn = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 12, terminatorIds: [] };
  const utterances = await episodes.act(turns, drawn);
  await episodes.close();
  return utterances.map(({ ids, logprobs }) => ({ ids: [...ids], logprobs: [...logprobs] }));
}

const lora = { r: 2, alpha: 4, dropout: 0, targetModules: 'all-linear', seed: 1 } as const;

test.each([
  ['all weights', {}],
  ['adapters beside float32', { lora }],
  ['adapters beside 8 bits', { lora, quantization: '8bit' }],
] as const)('sampling with integers follows the trained weights: %s', async (_, trained) => {
  const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
  const config = { model_type: 'gpt2', n_layer: 2, n_head: 4, n_embd: 64, n_positions: 32 };
  const create = (seed: number, packedDecoding?: boolean) =>
    LanguageModel.create({ device, config, tokenizer, rng: new Rng(3), packedDecoding, ...trained, ...moved(seed) });
  const moved = (seed: number) => ('lora' in trained ? { lora: { ...lora, seed } } : { rng: new Rng(seed) });
  const [model, other] = [await create(3), await create(4)];
  const before = await sampled(model, true);
  await model.restoreParameters(await other.copyParameters());
  const after = await sampled(model, true);
  expect(after).toEqual(await sampled(other, true));
  if (!('lora' in trained)) expect(after).not.toEqual(before); // fresh adapters add nothing
  const scores = await model.logprobs(
    after.map(({ ids }, i) => {
      const prompt = tokenizer.encode(prompts[i].prompt);
      const text = [...prompt, ...ids];
      const weights = Float32Array.from(text.slice(1), (_, at) => (at < prompt.length - 1 ? 0 : 1));
      return { ids: Int32Array.from(text.slice(0, -1)), targets: Int32Array.from(text.slice(1)), weights };
    }),
  );
  const gaps = after.flatMap(({ logprobs }, i) =>
    logprobs.map((logprob, t) => Math.abs(logprob - scores[i].slice(-logprobs.length)[t])),
  );
  expect(mean(gaps)).toBeGreaterThan(1e-5); // the products are not those of float32
  expect(mean(gaps)).toBeLessThan(0.02);
  await Promise.all([model.release(), other.release()]);
});

test('quantised weights alone cannot be trained', async () => {
  const tokenizer = wordLevelTokenizer(['yes . no .'], { minCount: 1 });
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 32, n_positions: 16 };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(3), quantization: '4bit' });
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  await expect(model.createOptimizer(adam)).rejects.toThrow(/quantised|frozen/);
  await model.release();
});

const real = recordings('models/llama-babyllama-105');
const references = existsSync(real)
  ? (
      JSON.parse(readFileSync(join(real, 'reference.json'), 'utf8')) as {
        prompts: {
          text: string;
          continuation_text: string;
          continuation_logprobs: number[];
          greedy20_ids: number[];
        }[];
      }
    ).prompts
  : [];
const real8And4 = whenRecorded('models/llama-babyllama-105').describe.each([
  ['8bit', 0.01],
  ['4bit', 0.15],
] as const);
real8And4('on a real checkpoint in %s', (quantization, allowed) => {
  test('log-probabilities change little', async () => {
    const items = references.map(({ text, continuation_text }) => ({ prompt: text, continuation: continuation_text }));
    const wanted = mean(references.flatMap((reference) => reference.continuation_logprobs));
    const model = await LanguageModel.load({ device, dir: real, masksPadding: false, quantization });
    const scores = await collected(scoreContinuations(model, items, { maxTokens: 64 }));
    const shift = mean(scores.flatMap(({ logprobs }) => logprobs)) - wanted;
    const texts = await collected(generateTexts(model, items, { ...greedy, maxNewTokens: 20, terminatorIds: [] }));
    const equal = texts.filter(({ ids }, i) => ids.join() === references[i].greedy20_ids.join()).length;
    console.log(
      `${quantization}: mean log-probability ${shift.toFixed(4)} nats from ${wanted.toFixed(3)}; ${equal} of ${texts.length} greedy texts as PyTorch's`,
    );
    expect(Math.abs(shift)).toBeLessThan(allowed);
    await model.release();
  });

  test.each([
    [true, false],
    [false, false],
    [true, true],
  ])('generates what it scores, up to 8 bits of activations; integers: %s, adapters: %s', async (whole, adapted) => {
    const options = { device, dir: real, masksPadding: false, quantization, packedDecoding: whole };
    const lora = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear', seed: 1 };
    const model = await LanguageModel.load({ ...options, ...(adapted && { lora }) });
    if (adapted) {
      const adapters = await model.copyParameters();
      const rng = new Rng(9);
      for (const { data } of Object.values(adapters)) data.forEach((_, i) => (data[i] = 0.05 * rng.normal()));
      await model.restoreParameters(adapters);
    }
    const items = Array.from({ length: 16 }, (_, i) => ({ prompt: references[i % references.length].text }));
    const sampling = { ...greedy, greedy: false, maxNewTokens: 100, batchSize: 16, terminatorIds: [] };
    const texts = await collected(generateTexts(model, items, sampling));
    const said = items.map((item, i) => ({ ...item, continuationIds: texts[i].ids }));
    const scores = await collected(scoreContinuations(model, said, { maxTokens: 4096 }));
    const differences = texts.flatMap(({ logprobs }, i) => logprobs.map((x, t) => x - scores[i].logprobs[t]));
    const shift = mean(differences);
    const size = mean(differences.map(Math.abs));
    console.log(
      `${quantization}, integers ${whole}, adapters ${adapted}: sampled log-probabilities ${shift.toFixed(4)} from scored, ${size.toFixed(4)} in size`,
    );
    expect(Math.abs(shift)).toBeLessThan(0.01);
    expect(size).toBeLessThan(0.04);
    await model.release();
  });
});
