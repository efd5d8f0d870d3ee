// Models with published vocabularies, positions and head counts, their layers cut to one and their weights random, through
// the whole chain of commands: score, generate, serve_model (and how long it answers nobody), bc with LoRA, resume.
// Run: npm run build && node --conditions=source --import tsx benchmarks/real-vocabulary.ts [FAMILY...] [keep=FOLDER] [only=bc | only=serve]
// Prints seconds and peak memory of each command, and the load average. The vocabularies are made here: byte-level BPE of the published size.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { tokenizerJson } from './random-vocabulary.js';

interface Family {
  config: Record<string, unknown>;
  /** Tokens in the vocabulary; the rest of vocab_size is added tokens and spare rows. */
  tokens: number;
  pattern: string;
  isNormalized: boolean;
}

const LLAMA3 =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

const families: Record<string, Family> = {
  'llama-3.2-1b': {
    config: {
      model_type: 'llama',
      vocab_size: 128_256,
      hidden_size: 2048,
      intermediate_size: 8192,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      head_dim: 64,
      max_position_embeddings: 131_072,
      rms_norm_eps: 1e-5,
      rope_theta: 500_000,
      tie_word_embeddings: true,
      rope_scaling: {
        rope_type: 'llama3',
        factor: 32,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 8192,
      },
    },
    tokens: 128_000,
    pattern: LLAMA3,
    isNormalized: false,
  },
  'qwen2.5-0.5b': {
    config: {
      model_type: 'qwen2',
      vocab_size: 151_936,
      hidden_size: 896,
      intermediate_size: 4864,
      num_attention_heads: 14,
      num_key_value_heads: 2,
      max_position_embeddings: 32_768,
      rms_norm_eps: 1e-6,
      rope_theta: 1e6,
      tie_word_embeddings: true,
    },
    tokens: 151_643,
    pattern: LLAMA3.replace('{1,3}', ''),
    isNormalized: true,
  },
  'qwen3-0.6b': {
    config: {
      model_type: 'qwen3',
      vocab_size: 151_936,
      hidden_size: 1024,
      intermediate_size: 3072,
      head_dim: 128,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      max_position_embeddings: 40_960,
      rms_norm_eps: 1e-6,
      rope_theta: 1e6,
      tie_word_embeddings: true,
    },
    tokens: 151_643,
    pattern: LLAMA3.replace('{1,3}', ''),
    isNormalized: true,
  },
  // Gemma's vocabulary and widths with Llama's layers.
  'gemma-size': {
    config: {
      model_type: 'llama',
      vocab_size: 262_144,
      hidden_size: 640,
      intermediate_size: 2048,
      head_dim: 256,
      num_attention_heads: 4,
      num_key_value_heads: 1,
      max_position_embeddings: 32_768,
      rms_norm_eps: 1e-6,
      rope_theta: 1e6,
      tie_word_embeddings: true,
    },
    tokens: 262_000,
    pattern: LLAMA3,
    isNormalized: false,
  },
};

const bowyer = fileURLToPath(new URL('../packages/runner/bin/bowyer.js', import.meta.url));
const template =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const chosen = process.argv.slice(2);
const keep = chosen.find((argument) => argument.startsWith('keep='))?.slice('keep='.length);
const names = chosen.filter((argument) => !argument.includes('='));
const root = keep ?? (await mkdtemp(join(tmpdir(), 'real-vocabulary-')));
try {
  for (const name of names.length > 0 ? names : Object.keys(families)) await measureFamily(name);
} finally {
  if (keep === undefined) await rm(root, { recursive: true, force: true });
}

async function measureFamily(name: string): Promise<void> {
  const dir = join(root, name);
  if (!existsSync(join(dir, 'config.json'))) await makeModel(dir, families[name]);
  if (!chosen.includes('only=serve')) await measureCommands(name, dir);
  await serve(name, dir);
}

async function measureCommands(name: string, dir: string): Promise<void> {
  const start = performance.now();
  const tokenizer = await loadTokenizer(dir);
  const loaded = performance.now();
  const text = 'Is it bigger than a bread box? No, it is not. '.repeat(21_740);
  const count = tokenizer.encode(text).length;
  const encoded = performance.now();
  report(name, 'tokenizer', { loadMs: loaded - start, encodeMbMs: encoded - loaded, tokens: count });
  const items = Array.from({ length: 8 }, (_, i) => ({ prompt: `Is it item ${i}?`, continuation: ' Yes.\n' }));
  await writeFile(join(root, 'items.jsonl'), items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const files = [`model=${dir}`, `input=${join(root, 'items.jsonl')}`, `output=${join(root, 'out.jsonl')}`];
  if (!chosen.includes('only=bc')) {
    await run(name, 'score', ['--config-name', 'score', ...files]);
    await run(name, 'generate', ['--config-name', 'generate', ...files, 'max_new_tokens=8']);
  }
  const cloning = [
    `policy_lm=${dir}`,
    'use_lora=true',
    'batch_size=1',
    'demonstrations.count=4',
    'test_size=2',
    'max_new_tokens=4',
    'save_minutes=0.01',
    'lm_schedule.kind=constant',
  ];
  const training = ['--config-name', 'bc_20q', ...cloning, 'epochs=2', `save_path=${join(root, `${name}-run`)}`];
  await run(name, 'bc with LoRA, killed', training, join(root, `${name}-run`, 'checkpoints'));
  await run(name, 'bc resumed, and tested', training);
}

/** Random weights; a vocabulary of the size wanted. */
async function makeModel(dir: string, { config, tokens, pattern, isNormalized }: Family): Promise<void> {
  await mkdir(dir, { recursive: true });
  const rng = new Rng(1);
  await writeFile(join(dir, 'tokenizer.json'), JSON.stringify(tokenizerJson(tokens, pattern, isNormalized, rng)));
  await writeFile(
    join(dir, 'tokenizer_config.json'),
    JSON.stringify({ eos_token: '<|im_end|>', pad_token: '<|endoftext|>', chat_template: template }),
  );
  const device = await openDevice({ device: 'cpu' });
  try {
    const tokenizer = await loadTokenizer(dir);
    const model = await LanguageModel.create({ device, config: { ...config, num_hidden_layers: 1 }, tokenizer, rng });
    await model.save(dir);
  } finally {
    await device.close();
  }
}

/** @param killAt it is killed when this folder contains a checkpoint */
async function run(name: string, what: string, args: readonly string[], killAt?: string): Promise<void> {
  const start = performance.now();
  const child = spawn(process.execPath, [bowyer, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
  const killer = setInterval(() => {
    if (killAt === undefined || !existsSync(killAt)) return;
    if (readdirSync(killAt).some((entry) => /^\d+$/.test(entry))) child.kill('SIGKILL');
  }, 50);
  const peak = watchMemory(child.pid!);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(killer);
  report(name, what, { seconds: (performance.now() - start) / 1000, peakMiB: peak() });
  if (code !== 0 && killAt === undefined) console.log(output.slice(-1500));
}

/** @returns the largest resident size of a process, in MiB, looked at ten times a second; it ends the watch */
function watchMemory(pid: number): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/status`, 'utf8').then(
      (status) => (peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)),
      () => undefined, // it has ended
    );
  }, 100);
  return () => {
    clearInterval(timer);
    return Math.round(peak);
  };
}

/** How long `/health` waits while a client sends a long prompt. */
async function serve(name: string, dir: string): Promise<void> {
  const child = spawn(process.execPath, [
    bowyer,
    '--config-name',
    'serve_model',
    `model=${dir}`,
    'port=0',
    'context_length=32768',
    'slots=1',
  ]);
  try {
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
    const start = performance.now();
    let url: string | undefined;
    while (url === undefined && child.exitCode === null && performance.now() - start < 120_000) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      url = /at (http:\S+)\/v1/.exec(output)?.[1];
    }
    if (url === undefined) return console.log(output.slice(-1500));
    const words = 'Is it bigger than a bread box? ';
    await blocked(name, url, 'one word', { prompt: 'Is', max_tokens: 64 });
    await blocked(name, url, '0.25 MB', { prompt: words.repeat(8_000), max_tokens: 1 });
    await blocked(name, url, '2 MB', { prompt: words.repeat(65_000), max_tokens: 1 });
    await blocked(name, url, '0.5 MB of one letter', { prompt: 'a'.repeat(520_000), max_tokens: 1 });
    await blocked(name, url, '0.9 MB of accents', { prompt: 'e\u0301\u0323'.repeat(173_000), max_tokens: 1 });
    await blocked(name, url, '8 MB', { prompt: words.repeat(258_000), max_tokens: 1 });
    await blocked(name, url, '1,000,000 prompts', { prompt: new Array(1e6).fill('a'), max_tokens: 1 });
  } finally {
    child.kill('SIGTERM');
  }
}

async function blocked(name: string, url: string, what: string, body: object): Promise<void> {
  let longest = 0;
  let isDone = false;
  const json = JSON.stringify(body);
  const post = fetch(`${url}/v1/completions`, {
    method: 'POST',
    body: json,
    headers: { 'content-type': 'application/json' },
  });
  const answered = post.then(async (response) => ({
    status: response.status,
    text: (await response.text()).slice(0, 150),
  }));
  void answered.finally(() => (isDone = true)).catch(() => undefined);
  while (!isDone) {
    const start = performance.now();
    await (await fetch(`${url}/health`)).text();
    longest = Math.max(longest, performance.now() - start);
  }
  const { status, text } = await answered;
  report(name, `serve ${what}`, { longestHealthMs: longest, status });
  if (status !== 200) console.log(`    ${text}`);
}

function report(name: string, what: string, figures: Record<string, number>): void {
  const shown = Object.entries(figures).map(([key, value]) => `${key} ${Number(value.toFixed(1))}`);
  console.log(`${name}: ${what}: ${shown.join(', ')}, load ${loadavg()[0].toFixed(1)}`);
}
