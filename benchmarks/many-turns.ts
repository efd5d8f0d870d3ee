// Whole GRPO iterations over many turns, in turn with TRL's GRPOTrainer and its environment_factory (peers/trl_many_turns.py): 16
// prompts of 64 tokens, 8 episodes each, 10 turns of 16 tokens written and 16 tokens read, no KL, one optimizer step. No episode
// ends early and no utterance is shorter, so both write and read the same number of tokens; the counts that each found are printed.
// With -lora adapters are trained, r = 8 on all linear layers, beside a base in float32, or quantised and with integer products (TRL's
// in float32). Rollouts are sampled in float32, or with integers.
//   PYTHON=… node --conditions=source --import tsx benchmarks/many-turns.ts [0.9M|10.8M|10.8M-lora|124M-lora] [iterations] [threads]
//     [episodes at once in TRL's update] [none|8bit|4bit] [float32|integers] [prompts]
import { Rng } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Quantization } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { compareIterations, evenShare, randomWords, type Iteration } from './grpo-iterations.js';
import { openPeer } from './peer.js';

const lora = { r: 8, alpha: 16, dropout: 0, targetModules: 'all-linear', seed: 1 };
const shapes = {
  '0.9M': { n_layer: 4, n_embd: 128, n_head: 4, vocabulary: 512, isAdapted: false },
  '10.8M': { n_layer: 6, n_embd: 384, n_head: 6, vocabulary: 512, isAdapted: false },
  '10.8M-lora': { n_layer: 6, n_embd: 384, n_head: 6, vocabulary: 512, isAdapted: true },
  '124M-lora': { n_layer: 12, n_embd: 768, n_head: 12, vocabulary: 50_257, isAdapted: true },
};
const name = (process.argv[2] ?? '0.9M') as keyof typeof shapes;
const { vocabulary, isAdapted, ...shape } = shapes[name];
const iterations = Number(process.argv[3] ?? 3);
const threads = Number(process.argv[4] ?? 1);
const microBatch = Number(process.argv[5] ?? (vocabulary > 512 ? 8 : 32));
const quantization = (process.argv[6] ?? 'none') as Quantization;
const samplesIntegers = process.argv[7] === 'integers';
const prompts = Number(process.argv[8] ?? 16);
const [GROUP, PROMPT_TOKENS, TURNS, WRITTEN, READ] = [8, 64, 10, 16, 16];
const contextLength = PROMPT_TOKENS + TURNS * (WRITTEN + READ);

/** A text of random words that continues after every action; the reward of a turn is its share of even words. */
class Turns implements Env {
  #rng = new Rng(0);
  #text = '';
  #turn = 0;
  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#rng = new Rng(seed);
    this.#text = randomWords(PROMPT_TOKENS, vocabulary, this.#rng);
    this.#turn = 0;
    return { observation: this.#text, info: {} };
  }
  async step(action: string) {
    this.#turn++;
    this.#text += `${action} ${randomWords(READ, vocabulary, this.#rng)}`;
    const terminated = this.#turn === TURNS;
    return { observation: this.#text, reward: evenShare(action), terminated, truncated: false, info: {} };
  }
  async close() {}
}

const device = await openDevice({ device: 'cpu', threads });
const peer = await openPeer<Iteration>('trl_many_turns.py', {
  layers: shape.n_layer,
  width: shape.n_embd,
  heads: shape.n_head,
  vocabulary,
  lora: isAdapted ? { r: lora.r, lora_alpha: lora.alpha, target_modules: lora.targetModules } : null,
  prompts,
  group: GROUP,
  prompt_tokens: PROMPT_TOKENS,
  turns: TURNS,
  written: WRITTEN,
  read: READ,
  micro_batch: microBatch,
  threads,
  steps: iterations + 1,
  bf16: process.env.PEER_BF16 === '1',
  folder: '/tmp/trl-many-turns',
});
try {
  const words = Array.from({ length: vocabulary - 4 }, (_, i) => `w${i}`).join(' ');
  const policy = await LanguageModel.create({
    device,
    tokenizer: wordLevelTokenizer([words], { minCount: 1 }),
    config: { model_type: 'gpt2', ...shape, n_positions: contextLength },
    rng: new Rng(1),
    quantization,
    lora: isAdapted ? { ...lora, integerProducts: quantization !== 'none' } : undefined,
  });
  await compareIterations(
    `${name} (${policy.parameters.size} weights trained, quantization ${quantization}, sampled ${samplesIntegers ? 'with integers' : 'in float32'}), ` +
      `${threads} thread(s)`,
    { policy, makeEnv: () => new Turns(), peer, samplesIntegers },
    { prompts, group: GROUP, newTokens: WRITTEN, iterations },
  );
} finally {
  peer?.close();
  await device.close();
}
