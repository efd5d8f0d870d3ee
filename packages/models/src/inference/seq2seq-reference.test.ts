// Compares scores and generated texts of published BART checkpoints with PyTorch's results.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDevice, webgpuAvailable } from '@bowyer/graph';
import { collected, recordings, when, whenRecorded } from '@bowyer/testing';
import { generateTargets, scoreTargets } from './seq2seq-items.js';
import { Seq2SeqModel } from '../seq2seq/seq2seq-model.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

interface Reference {
  prompts: {
    encoder_input_ids: number[];
    decoder_input_ids: number[];
    labels: number[];
    first_step_logits_first10: number[];
    last_step_logits_first10: number[];
    label_logprobs: number[];
    greedy_ids: number[];
  }[];
}

const models = recordings('models');

const gpu = await webgpuAvailable();
/**
 * The largest accepted difference from PyTorch's results; it is larger on GPUs, since WGSL's functions are less exact than the
 * CPU's.
 */
const tolerances = { cpu: 1e-4, webgpu: 1e-3 };

describe.each([
  ['bart-g2p-us', 'cpu'],
  ['bart-g2p-gb', 'cpu'],
  ['bart-g2p-us', 'webgpu'],
] as const)('the real checkpoint %s on %s', (name, kind) => {
  const tolerance = tolerances[kind];
  const dir = join(models, name);
  const onDevice = kind === 'webgpu' && !gpu ? when(false, 'no WebGPU adapter') : whenRecorded(`models/${name}`);

  onDevice.test(
    'logits, log-probabilities and greedy ids are those of PyTorch',
    async () => {
      const own = kind === 'cpu' ? device : await openDevice({ device: kind });
      const model = await Seq2SeqModel.load({ device: own, dir });
      expect(model.tokenizer).toBeNull();
      const { prompts } = JSON.parse(readFileSync(join(dir, 'reference.json'), 'utf8')) as Reference;
      // The limit on tokens puts all items into one batch, so that sources and targets are padded.
      const items = prompts.map((p) => ({ promptIds: p.encoder_input_ids, continuationIds: p.labels }));
      const scores = await collected(scoreTargets(model, items, { maxTokens: 4096 }));
      scores.forEach(({ logprobs, logitsHead }, i) => {
        expect(prompts[i].decoder_input_ids).toEqual([1, ...prompts[i].labels.slice(0, -1)]);
        expect(logprobs).toHaveLength(prompts[i].labels.length);
        prompts[i].label_logprobs.forEach((x, t) => expect(Math.abs(logprobs[t] - x)).toBeLessThan(tolerance));
        prompts[i].first_step_logits_first10.forEach((x, k) =>
          expect(Math.abs(logitsHead[k] - x)).toBeLessThan(tolerance),
        );
      });
      const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 32, seed: 0 };
      for (const batchSize of [1, 3]) {
        const targets = await collected(generateTargets(model, items, { ...greedy, batchSize }));
        targets.forEach(({ ids, text, finishReason, logprobs }, i) => {
          expect([1, ...ids]).toEqual(prompts[i].greedy_ids); // the start token is not among the generated ids
          expect({ text, finishReason }).toEqual({ text: null, finishReason: 'stop' });
          expect(logprobs).toHaveLength(ids.length);
        });
      }
      await model.release();
      if (own !== device) await own.close();
    },
    180_000,
  );
});
