// Does the work of browser.ts in Chromium and in Node: training steps and sampling of a small model.
import { Rng } from '@bowyer/core';
import { GraphBuilder, openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { numberedWords } from './random-gpt2.js';

/** The policy of the small preset with 0.1 M weights, and one with 10.8 M. */
const shapes = {
  '0.1M': { n_layer: 2, n_head: 4, n_embd: 64 },
  '10.8M': { n_layer: 6, n_head: 6, n_embd: 384 },
};
export type Size = keyof typeof shapes;

const ROWS = 8;
const TOKENS = 64;
const VOCABULARY = 300;

/** Products of a run of `products`: those of a feed-forward layer, one after the other. */
const PRODUCTS = 16;

export interface Work {
  /** Multiplies matrices of the model's sizes, which bounds training. @returns billions of floating-point operations */
  products(): Promise<number>;
  /** Takes steps of 8 × 64 tokens. @returns their number */
  train(): Promise<number>;
  /** Samples utterances of 32 tokens after prompts of 32, eight at a time. @returns the number of tokens */
  sample(): Promise<number>;
  close(): Promise<void>;
}

export async function openWork(size: Size, threads: number): Promise<Work> {
  const device = await openDevice({ device: 'cpu', threads });
  const tokenizer = numberedWords(VOCABULARY - 8);
  const config = { model_type: 'gpt2', n_positions: 128, ...shapes[size] };
  const rng = new Rng(1);
  const model = await LanguageModel.create({ device, config, tokenizer, rng });
  const optimizer = await model.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 });
  const ids = (length: number) => Int32Array.from({ length }, () => rng.integer(3, VOCABULARY - 9));
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 32, terminatorIds: [] };
  const { n_embd: width } = shapes[size];
  const rows = ROWS * TOKENS;
  const g = new GraphBuilder('products');
  const [wide, narrow] = [
    g.input('wide', 'float32', [width, 4 * width]),
    g.input('narrow', 'float32', [4 * width, width]),
  ];
  let hidden = g.input('hidden', 'float32', [rows, width]);
  for (let i = 0; i < PRODUCTS; i += 2) hidden = g.matMul(g.matMul(hidden, wide), narrow);
  g.output('sum', g.reduceSum(hidden));
  const products = await device.compile(g);
  const filled = (...dims: number[]) => ({ dims, data: new Float32Array(dims.reduce((a, b) => a * b)).fill(0.01) });
  const inputs = { hidden: filled(rows, width), wide: filled(width, 4 * width), narrow: filled(4 * width, width) };
  const repeats = size === '0.1M' ? 10 : 1;
  return {
    async products() {
      for (let i = 0; i < repeats; i++) await products.run({ inputs });
      return (repeats * PRODUCTS * 2 * rows * width * 4 * width) / 1e9;
    },
    async train() {
      for (let i = 0; i < repeats; i++) {
        const examples = Array.from({ length: ROWS }, () => {
          const row = ids(TOKENS + 1);
          const weights = new Float32Array(TOKENS).fill(1 / (ROWS * TOKENS));
          return { ids: row.slice(0, -1), targets: row.slice(1), weights };
        });
        await model.accumulateGradients(examples);
        await optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
      }
      return repeats;
    },
    async sample() {
      let sampled = 0;
      for (let i = 0; i < repeats; i++) {
        const episodes = await model.openEpisodes({ slots: ROWS });
        const turns = Array.from({ length: ROWS }, (_, slot) => ({ slot, tokens: [...ids(32)], rng: new Rng(slot) }));
        for (const said of await episodes.act(turns, sampling)) sampled += said.ids.length;
        await episodes.close();
      }
      return sampled;
    },
    close: () => device.close(),
  };
}
