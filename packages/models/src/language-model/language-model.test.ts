import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { describeOnDevices, newFolder, recordings, whenRecorded } from '@bowyer/testing';
import { LanguageModel } from './language-model.js';
import { readSafetensors } from '@bowyer/checkpoints';
import { wordLevelTokenizer } from '@bowyer/text';

describeOnDevices(await webgpuAvailable(), (kind) => {
  let device: Device;
  let dir: string;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
    dir = newFolder();
  });
  afterAll(() => device.close());

  const rng = new Rng(1);
  const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 5, terminatorIds: [] };

  const small = { model_type: 'gpt2', n_layer: 1, n_embd: 8, n_head: 2, n_positions: 12 };
  const tokenizer = wordLevelTokenizer(['is it a dog ?', 'is it a cat ?', 'yes . no .'], { minCount: 1 });

  interface Reference {
    prompts: {
      input_ids: number[];
      continuation_ids: number[];
      continuation_logprobs: number[];
      greedy_ids: number[];
      all_logits: number[][];
    }[];
  }

  describe('the real checkpoint gpt2-nano-sort', () => {
    const nano = recordings('models/gpt2-nano-sort');
    const maybe = whenRecorded('models/gpt2-nano-sort').test;

    maybe('logits, scores and greedy tokens are those recorded from PyTorch', async () => {
      const model = await LanguageModel.load({ device, dir: nano });
      const { prompts } = JSON.parse(readFileSync(join(nano, 'reference.json'), 'utf8')) as Reference;
      const episodes = await model.openEpisodes({ slots: prompts.length });
      const utterances = await episodes.act(
        prompts.map(({ input_ids }, slot) => ({ slot, tokens: input_ids, rng })),
        greedy,
      );
      utterances.forEach(({ ids }, i) => expect(ids).toEqual(prompts[i].greedy_ids));

      const continued = prompts.map(({ input_ids, continuation_ids }) => {
        const all = [...input_ids, ...continuation_ids];
        const weights = Float32Array.from(all.slice(1), (_, t) => Number(t >= input_ids.length - 1));
        return { ids: Int32Array.from(all.slice(0, -1)), targets: Int32Array.from(all.slice(1)), weights };
      });
      const scores = await model.logprobs(continued);
      prompts.forEach(({ input_ids, continuation_logprobs }, i) =>
        continuation_logprobs.forEach((expected, t) =>
          expect(scores[i][input_ids.length - 1 + t]).toBeCloseTo(expected, 3),
        ),
      );

      // Three log-probabilities at each position determine the logits up to a constant, which the softmax ignores.
      for (const { input_ids, all_logits } of prompts) {
        for (let token = 0; token < 3; token++) {
          const ids = Int32Array.from(input_ids);
          const [row] = await model.logprobs([
            { ids, targets: ids.map(() => token), weights: new Float32Array(ids.length).fill(1) },
          ]);
          all_logits.forEach((logits, t) => {
            const top = Math.max(...logits);
            const logSum = top + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - top), 0));
            expect(Math.abs(row[t] - (logits[token] - logSum))).toBeLessThan(1e-3);
          });
        }
      }
      await episodes.close();
      await model.release();
    });

    maybe('saved again, the file contains the same tensors bit for bit', async () => {
      const model = await LanguageModel.load({ device, dir: nano });
      await model.save(join(dir, 'nano'));
      const [original, saved] = await Promise.all(
        [nano, join(dir, 'nano')].map((at) => readSafetensors(join(at, 'model.safetensors'))),
      );
      expect(Object.keys(saved).sort()).toEqual(Object.keys(original).sort());
      for (const [name, { shape, data }] of Object.entries(original)) {
        expect(saved[name].shape).toEqual(shape);
        expect(Buffer.compare(Buffer.from(saved[name].data.buffer), Buffer.from(data.buffer))).toBe(0);
      }
      await model.release();
    });
  });

  test('a fresh model has the initial values of the original', async () => {
    const config = { ...small, n_embd: 64, n_layer: 8, n_head: 4 };
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(3) });
    const parameters = await model.copyParameters();
    const deviation = (name: string) => {
      const { data } = parameters[name];
      return Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
    };
    expect(deviation('transformer.h.0.mlp.c_fc.weight')).toBeCloseTo(0.02, 3);
    // The initial weights of projections onto the residual stream have the standard deviation 0.02 / √(2 · 8) = 0.005.
    expect(deviation('transformer.h.3.attn.c_proj.weight')).toBeCloseTo(0.005, 3);
    expect(deviation('transformer.h.3.mlp.c_proj.bias')).toBe(0);
    expect([...new Set(parameters['transformer.ln_f.weight'].data)]).toEqual([1]);
    expect(parameters['lm_head.weight']).toBeUndefined(); // tied
    await model.release();
  });

  test('a saved model loads as the same model, with config and tokenizer', async () => {
    const model = await LanguageModel.create({ device, config: small, tokenizer, rng: new Rng(4) });
    await model.save(join(dir, 'small'));
    const loaded = await LanguageModel.load({ device, dir: join(dir, 'small') });
    expect(await loaded.copyParameters()).toEqual(await model.copyParameters());
    expect(loaded.tokenizer.encode('is it a cat ?')).toEqual(tokenizer.encode('is it a cat ?'));
    expect(loaded.config).toEqual(model.config);
    expect(JSON.parse(await readFile(join(dir, 'small', 'config.json'), 'utf8'))).toMatchObject({
      model_type: 'gpt2',
      vocab_size: tokenizer.vocabSize,
    });
    await model.release();
    await loaded.release();
  });

  test('training: the loss of one example falls to nearly nothing, and restoring takes it back', async () => {
    const model = await LanguageModel.create({ device, config: small, tokenizer, rng: new Rng(5) });
    const optimizer = await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const ids = tokenizer.encode('is it a dog ? yes .');
    const example = {
      ids: Int32Array.from(ids.slice(0, -1)),
      targets: Int32Array.from(ids.slice(1)),
      weights: new Float32Array(ids.length - 1).fill(1),
    };
    const start = await model.copyParameters();
    const losses: number[] = [];
    for (let step = 0; step < 60; step++) {
      losses.push((await model.accumulateGradients([example])).loss);
      await optimizer.step({ lr: 0.03, maxGradNorm: 1 });
    }
    expect(losses[0]).toBeGreaterThan(8); // 6 tokens of about ln 11 nats each
    expect(losses.at(-1)).toBeLessThan(0.1);
    // The sampler must read the trained weights, so that it generates the text that was learnt.
    const episodes = await model.openEpisodes({ slots: 1 });
    const [utterance] = await episodes.act([{ slot: 0, tokens: ids.slice(0, 2), rng: new Rng(1) }], greedy);
    expect(tokenizer.decode(utterance.ids)).toBe(tokenizer.decode(ids.slice(2)));
    await episodes.close();
    await model.restoreParameters(start);
    expect((await model.accumulateGradients([example])).loss).toBe(losses[0]);
    await model.release();
  });

  test('padding is never said, and mistakes are named', async () => {
    const model = await LanguageModel.create({ device, config: small, tokenizer, rng: new Rng(6) });
    expect(model.maskedTokenIds).toEqual([tokenizer.padTokenId]);
    expect(() => model.optimizer).toThrow('LanguageModel: no optimizer yet; call createOptimizer before training');
    await model.release();
    const create = (config: Record<string, unknown>) =>
      LanguageModel.create({ device, config: { ...small, ...config }, tokenizer, rng: new Rng(6) });
    await expect(create({ vocab_size: 3 })).rejects.toThrow("the model's vocab_size is 3\n  expected");
    await expect(create({ model_type: 'mamba' })).rejects.toThrow(
      'model_type is "mamba", which is not supported; supported language models: gpt2, falcon, gpt_neox',
    );
    await expect(create({ n_head: 3 })).rejects.toThrow('n_embd is 8, not a multiple of n_head 3');
  });
});
