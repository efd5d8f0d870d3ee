// A 7B-shaped Mistral with random 4-bit weights, made in place and nowhere else: generates some tokens, then takes a LoRA
// step (r = 8 on q_proj and v_proj, AdamW, gradient checkpointing). Prints the memory and the time of each part.
// Run: node --conditions=source --import tsx benchmarks/scale-7b.ts [layers] [tokens of the training example]
import { readFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { milliseconds } from './measure.js';

const layers = Number(process.argv[2] ?? 32);
const tokens = Number(process.argv[3] ?? 128);
const [PROMPT, NEW_TOKENS] = [16, 8];
/** Mistral 7B's config.json; the window is longer than anything here. */
const config = {
  model_type: 'mistral',
  vocab_size: 32_000,
  hidden_size: 4096,
  intermediate_size: 14_336,
  num_hidden_layers: layers,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  max_position_embeddings: 32_768,
  sliding_window: 4096,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  hidden_act: 'silu',
  tie_word_embeddings: false,
};

/** GiB now and at the most, of the whole process, as the kernel counts them. */
function memory(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  const gib = (key: string) => (Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)![1]) / 2 ** 20).toFixed(2);
  return `${gib('VmRSS')} GiB, at most ${gib('VmHWM')} so far`;
}

async function part(name: string, run: () => Promise<string | void>): Promise<void> {
  let note: string | void = '';
  const seconds = (await milliseconds(async () => (note = await run()))) / 1000;
  console.log(`${name}: ${seconds.toFixed(1)} s; ${memory()}${note ? `; ${note}` : ''}`);
}

const words = Array.from({ length: config.vocab_size - 100 }, (_, i) => `w${i}`).join(' ');
const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
const rng = new Rng(2);
const ids = (length: number) => Array.from({ length }, () => rng.integer(1, config.vocab_size - 200));
const device = await openDevice({ device: 'cpu' });
let model: LanguageModel | undefined;
try {
  await part('start', async () => {});
  await part('made', async () => {
    const lora = { r: 8, alpha: 16, dropout: 0, targetModules: null, seed: 1 };
    const options = { quantization: '4bit', gradientCheckpointing: true, masksPadding: false } as const;
    model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), lora, ...options });
    const size = model.architecture.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
    return `${(size / 1e9).toFixed(2)} thousand million parameters`;
  });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: NEW_TOKENS, terminatorIds: [] };
  const episodes = await model!.openEpisodes({ slots: 1, contextLength: 64 });
  for (const which of ['first utterance, sessions made', 'second utterance'])
    await part(`${which}: ${PROMPT} + ${NEW_TOKENS} tokens`, async () => {
      const [said] = await episodes.act([{ slot: 0, tokens: ids(PROMPT), rng: new Rng(3) }], sampling);
      return `ids ${said.ids.join(' ')}`;
    });
  await episodes.close();
  await part('decoding sessions freed', () => model!.releaseDecoding());
  const optimizer = await model!.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const example = {
    ids: Int32Array.from(ids(tokens)),
    targets: Int32Array.from(ids(tokens)),
    weights: new Float32Array(tokens).fill(1 / tokens),
  };
  for (const which of ['first', 'second'])
    await part(`${which} LoRA step on ${tokens} tokens`, async () => {
      const { loss } = await model!.accumulateGradients([example]);
      const { gradientNorm } = await optimizer.step({ lr: 1e-3, maxGradNorm: 1 });
      return `loss ${loss.toFixed(3)}, gradient norm ${gradientNorm.toFixed(4)}`;
    });
} finally {
  await device.close();
}
