// Resident memory while generating, with and without packed weights, by stages: loaded, a prompt read (the decoding session is
// made), tokens decoded, and the same with 16 rows; CPU time beside. Random weights of Qwen 2.5 0.5B's shape and of GPT-2 124M,
// saved once; each form in a process of its own. Needs 5 GiB, and 2 GB in the temporary directory.
// Run: node --conditions=source --import tsx benchmarks/generation-memory.ts [layers of Qwen, 24 if not given]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { gpt2Config, LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 8;
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
const qwen = (layers: number) => ({
  model_type: 'qwen2',
  vocab_size: 151_936,
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: layers,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  max_position_embeddings: 32_768,
  tie_word_embeddings: true,
});

const [, , given = '24', packed] = process.argv;
if (packed === undefined) await main(Number(given));
else await generate(given, packed === 'true');

async function main(layers: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'generation-memory-'));
  try {
    for (const config of [qwen(layers), { ...gpt2Config({}) }]) {
      const path = join(folder, String(config.model_type));
      await makeModel(path, config);
      for (const packed of [true, false])
        console.log(`${String(config.model_type)}, packed_decoding=${packed}:\n${measured(path, packed)}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function measured(path: string, packed: boolean): string {
  const args = ['--conditions=source', '--import', 'tsx', fileURLToPath(import.meta.url), path, String(packed)];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trimEnd();
}

async function makeModel(path: string, config: Record<string, unknown>): Promise<void> {
  const device = await openDevice({ device: 'cpu' });
  try {
    const words = Array.from({ length: Number(config.vocab_size) - 500 }, (_, i) => `w${i}`).join(' ');
    const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
    await model.save(path);
  } finally {
    await device.close();
  }
}

async function generate(dir: string, packedDecoding: boolean): Promise<void> {
  const device = await openDevice({ device: 'cpu' });
  try {
    show('before');
    const model = await LanguageModel.load({ device, dir, masksPadding: false, packedDecoding });
    show('loaded');
    for (const rows of [1, 16]) {
      const episodes = await model.openEpisodes({ slots: rows, contextLength: PROMPT + NEW_TOKENS });
      const prompts = randomPrompts(new Rng(2), rows, PROMPT);
      for (const maxNewTokens of [1, NEW_TOKENS, NEW_TOKENS]) {
        const start = process.cpuUsage();
        await episodes.act(
          prompts.map((tokens, slot) => ({ slot, reset: true, tokens, rng: new Rng(3) })),
          { ...greedy, maxNewTokens },
        );
        const { user, system } = process.cpuUsage(start);
        show(`${rows} rows, ${maxNewTokens} new`, `; ${((user + system) / 1e6).toFixed(2)} s of CPU time`);
      }
      await episodes.close();
    }
  } finally {
    await device.close();
  }
}

function show(stage: string, more = ''): void {
  const [resident, highest] = ['VmRSS', 'VmHWM'].map((key) => (kilobytes(key) / 2 ** 10).toFixed(0));
  console.log(`  ${stage}: ${resident} MiB, at most ${highest}${more}`);
}

function kilobytes(key: string): number {
  return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))![1]);
}
