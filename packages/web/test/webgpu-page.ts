// Trains a small model in a page and samples from it, for a comparison of devices.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

export interface Learned {
  /** The loss before each step, in nats. */
  losses: number[];
  /** Log-probabilities of the sampled tokens. */
  logprobs: number[];
  text: string;
}

const SENTENCES = ['the sky is blue', 'the grass is green', 'the night is dark'];
const STEPS = 4;

/** Takes a few steps of imitation on a device, then samples greedily. */
export async function learned(kind: 'cpu' | 'webgpu'): Promise<Learned> {
  const device = await openDevice({ device: kind, threads: 1 });
  const tokenizer = wordLevelTokenizer(SENTENCES, { minCount: 1 });
  const config = { model_type: 'gpt2', n_positions: 16, n_layer: 1, n_head: 2, n_embd: 16 };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
  const optimizer = await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 });
  const examples = SENTENCES.map((sentence) => {
    const ids = Int32Array.from(tokenizer.encode(sentence));
    const targets = ids.slice(1);
    return { ids: ids.slice(0, -1), targets, weights: new Float32Array(targets.length).fill(1 / SENTENCES.length) };
  });
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    losses.push((await model.accumulateGradients(examples)).loss);
    await optimizer.step({ lr: 0.05, maxGradNorm: 1 });
  }
  const episodes = await model.openEpisodes({ slots: 1 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 3, terminatorIds: [] };
  const turns = [{ slot: 0, tokens: [...tokenizer.encode('the')], rng: new Rng(0) }];
  const [said] = await episodes.act(turns, sampling);
  await episodes.close();
  await device.close();
  return { losses, logprobs: [...said!.logprobs], text: tokenizer.decode([...said!.ids]) };
}
