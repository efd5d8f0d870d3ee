import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { recordings, whenRecorded } from '@bowyer/testing';
import { continuationExample as example } from '../../test/reference/continuation-example.js';
import { LanguageModel } from '../language-model/language-model.js';
import { readSafetensors } from '@bowyer/checkpoints';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, terminatorIds: [] };

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
  const dir = recordings('models', name);
  const maybe = whenRecorded(`models/${name}`).test;

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

  maybe('saved again, the file contains the same tensors bit for bit', async () => {
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
