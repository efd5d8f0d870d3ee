// Measures the peak memory of loading a model, minus the process's memory before, as a share of the float32 weights: GPT-2 124M
// and a Llama of 350M from one float32 file, from bfloat16, and from shards, each in a separate process. If PYTHON has
// transformers, it loads the same folders in float32 for comparison.
//   PYTHON=… node --conditions=source --import tsx benchmarks/load-memory.ts
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { readSafetensors, writeWeights } from '@bowyer/checkpoints';
import { gpt2Config, LanguageModel } from '@bowyer/models';
import { numberedWords } from './random-gpt2.js';

const llama = {
  model_type: 'llama',
  vocab_size: 32_000,
  hidden_size: 1024,
  intermediate_size: 2816,
  num_hidden_layers: 24,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  max_position_embeddings: 2048,
  tie_word_embeddings: true,
};
const configs = { 'GPT-2 124M': { ...gpt2Config({}) }, 'Llama 350M': llama };

const [, , dir, quantization] = process.argv;
if (dir === undefined) await main();
else await load(dir, quantization as 'none' | '4bit');

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'load-memory-'));
  try {
    for (const [name, config] of Object.entries(configs)) {
      const path = join(folder, name);
      await makeModel(path, config);
      measure(`${name}, float32`, path, 'none');
      measure(`${name}, float32, quantization=4bit`, path, '4bit');
      const tensors = await readSafetensors(join(path, 'model.safetensors'));
      await rm(join(path, 'model.safetensors'));
      await writeWeights(path, tensors, { maxShardBytes: 100e6 });
      measure(`${name}, shards of 100 MB`, path, 'none');
      await rm(join(path, 'model.safetensors.index.json'));
      await writeBfloat16(join(path, 'model.safetensors'), tensors);
      measure(`${name}, bfloat16`, path, 'none');
      await rm(path, { recursive: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function measure(name: string, path: string, quantization: string): void {
  const script = fileURLToPath(import.meta.url);
  const args = ['--conditions=source', '--import', 'tsx', script, path, quantization];
  console.log(`${name}: ${execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()}${peerMemory(path)}`);
}

/** Measures the memory of AutoModelForCausalLM in a separate process; empty if Python lacks transformers. */
function peerMemory(path: string): string {
  const script = fileURLToPath(new URL('./peers/load_memory.py', import.meta.url));
  const { status, stdout } = spawnSync(process.env.PYTHON ?? 'python3', [script, path], { encoding: 'utf8' });
  return status === 0 ? `; transformers: ${stdout.trim()}` : '';
}

async function load(path: string, quantization: 'none' | '4bit'): Promise<void> {
  const device = await openDevice({ device: 'cpu' });
  try {
    const before = kilobytes('VmRSS');
    const model = await LanguageModel.load({ device, dir: path, quantization });
    const size = model.architecture.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 4), 0);
    const [peak, after] = [kilobytes('VmHWM') - before, kilobytes('VmRSS') - before];
    const times = (kb: number) => `${(kb / 2 ** 10).toFixed(0)} MiB, ${((kb * 2 ** 10) / size).toFixed(2)} ×`;
    console.log(
      `weights ${(size / 2 ** 20).toFixed(0)} MiB in float32; peak ${times(peak)}; afterwards ${times(after)}`,
    );
  } finally {
    await device.close();
  }
}

function kilobytes(key: string): number {
  return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))![1]);
}

async function makeModel(path: string, config: Record<string, unknown>): Promise<void> {
  const device = await openDevice({ device: 'cpu' });
  try {
    const tokenizer = numberedWords(Number(config.vocab_size) - 500);
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
    await model.save(path);
  } finally {
    await device.close();
  }
}

/** Writes float32 tensors as bfloat16, which is the upper half of each number. */
async function writeBfloat16(path: string, tensors: Awaited<ReturnType<typeof readSafetensors>>): Promise<void> {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { shape, data }]) => {
    const offsets = [end, (end += 2 * data.length)];
    return [name, { dtype: 'BF16', shape, data_offsets: offsets }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
  const file = await open(path, 'w');
  try {
    for (const part of [length, header]) await file.writeFile(part);
    for (const { data } of Object.values(tensors)) {
      const words = new Uint32Array(data.buffer);
      await file.writeFile(new Uint8Array(Uint16Array.from(words, (word) => word >>> 16).buffer));
    }
  } finally {
    await file.close();
  }
}
