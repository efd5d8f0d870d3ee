// Whole GRPO iterations (rollout, rewards, one update) of GPT-2 shapes on random words, in turn with TRL's GRPOTrainer
// (peers/trl_grpo.py): 16 prompts of 64 tokens, 8 completions of 64 tokens each, no KL, one optimizer step.
//   PYTHON=… node --conditions=source --import tsx benchmarks/rl-iteration.ts [0.1M|1M|10.8M] [iterations] [threads] [episodes at once for TRL]
import { Rng } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { compareIterations, evenShare, randomWords, type Iteration } from './grpo-iterations.js';
import { openPeer } from './peer.js';

const shapes = {
  '0.1M': { n_layer: 2, n_embd: 64, n_head: 4 },
  '1M': { n_layer: 4, n_embd: 128, n_head: 4 },
  '10.8M': { n_layer: 6, n_embd: 384, n_head: 6 },
};
const name = (process.argv[2] ?? '0.1M') as keyof typeof shapes;
const iterations = Number(process.argv[3] ?? 5);
const threads = Number(process.argv[4] ?? 1);
const [PROMPTS, GROUP, PROMPT_TOKENS, NEW_TOKENS, VOCABULARY] = [16, 8, 64, 64, 512];
const microBatch = Number(process.argv[5] ?? 32);
const shape = shapes[name];

/** One prompt of random words, one completion; the reward is the share of even words. */
class Words implements Env {
  #rng = new Rng(0);
  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#rng = new Rng(seed);
    return { observation: randomWords(PROMPT_TOKENS, VOCABULARY, this.#rng), info: {} };
  }
  async step(action: string) {
    return { observation: '', reward: evenShare(action), terminated: true, truncated: false, info: {} };
  }
  async close() {}
}

const device = await openDevice({ device: 'cpu', threads });
const settings = {
  layers: shape.n_layer,
  width: shape.n_embd,
  heads: shape.n_head,
  vocabulary: VOCABULARY,
  prompts: PROMPTS,
  group: GROUP,
  prompt_tokens: PROMPT_TOKENS,
  new_tokens: NEW_TOKENS,
  micro_batch: microBatch,
  threads,
  steps: iterations + 1,
  bf16: process.env.PEER_BF16 === '1',
  folder: '/tmp/trl-grpo',
};
const peer = await openPeer<Iteration>('trl_grpo.py', settings);
try {
  const words = Array.from({ length: VOCABULARY - 4 }, (_, i) => `w${i}`).join(' ');
  const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
  const config = { model_type: 'gpt2', ...shape, n_positions: PROMPT_TOKENS + NEW_TOKENS };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(1) });
  const title = `${name} (${policy.parameters.size} weights), ${threads} thread(s)`;
  await compareIterations(
    title,
    { policy, makeEnv: () => new Words(), peer },
    { prompts: PROMPTS, group: GROUP, newTokens: NEW_TOKENS, iterations },
  );
} finally {
  peer?.close();
  await device.close();
}
