// bc_20q and archer_20q on small models of new families, as a user runs them: policy_lm=FOLDER use_lora=true.
// Run: node --conditions=source --import tsx benchmarks/family-runs.ts [FAMILY…]
// The folders are made here: random weights and the words of the game. Each model is trained whole for a few epochs first, so
// that adapters have something to stand beside; then adapters by behaviour cloning, then ArCHer.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';

const sizes = {
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  max_position_embeddings: 512,
  initializer_range: 0.05,
};
const families: Record<string, Record<string, unknown>> = {
  'qwen3-5': {
    ...sizes,
    model_type: 'qwen3_5_text',
    layer_types: ['linear_attention', 'full_attention'],
    linear_key_head_dim: 16,
    linear_value_head_dim: 16,
    linear_num_key_heads: 2,
    linear_num_value_heads: 4,
    partial_rotary_factor: 0.5,
  },
  gemma3: {
    ...sizes,
    model_type: 'gemma3_text',
    sliding_window: 32,
    query_pre_attn_scalar: 16,
    sliding_window_pattern: 2,
  },
  'gpt-oss': { ...sizes, model_type: 'gpt_oss', sliding_window: 32, num_local_experts: 4, num_experts_per_tok: 2 },
  lfm2: { ...sizes, model_type: 'lfm2', layer_types: ['conv', 'full_attention'], block_multiple_of: 64 },
};

const bowyer = fileURLToPath(new URL('../packages/runner/bin/bowyer.js', import.meta.url));
const chosen = process.argv.slice(2);
const root = await mkdtemp(join(tmpdir(), 'family-runs-'));
const device = await openDevice({ device: 'cpu', threads: 1 });
const small = ['threads=1', 'slots=16', 'test_size=32', 'demonstrations.count=100', 'batch_size=16'];
const constant = ['lm_schedule.kind=constant', 'max_grad_norm=1'];
try {
  const words = join(root, 'words');
  run('the words of the game', 'bc_20q', ['epochs=1', 'test_size=1', 'demonstrations.count=100', `save_path=${words}`]);
  const tokenizer = await loadTokenizer(join(words, 'checkpoints/best'));
  for (const name of chosen.length > 0 ? chosen : Object.keys(families)) {
    const at = (folder: string) => join(root, `${name}-${folder}`);
    const model = await LanguageModel.create({ device, config: families[name], tokenizer, rng: new Rng(1) });
    await model.save(at('random'));
    await model.release();
    const cloning = [...small, ...constant, 'lm_lr=3e-3'];
    await report(name, 'bc, all weights', at('whole'), 'bc_20q', [...cloning, 'epochs=2', `policy_lm=${at('random')}`]);
    const lora = ['use_lora=true', 'lora.target_modules=all-linear'];
    await report(name, 'bc, adapters', at('bc'), 'bc_20q', [
      ...cloning,
      ...lora,
      'epochs=1',
      `policy_lm=${at('whole')}`,
    ]);
    await report(name, 'archer, adapters', at('archer'), 'archer_20q', [
      'threads=1',
      'slots=16',
      'test_size=32',
      'rollout_size=16',
      'iterations=3',
      'warmup_iter=1',
      'epochs=1',
      ...lora,
      'eval_freq=3',
      'eval_size=16',
      'save_freq=3',
      'lm_lr=1e-3',
      `policy_lm=${at('whole')}`,
    ]);
  }
} finally {
  await device.close();
  await rm(root, { recursive: true, force: true });
}

function run(what: string, config: string, args: readonly string[]): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [bowyer, '--config-name', config, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0)
    throw new Error(`${what} ended with status ${status}\n${stdout.slice(-1500)}\n${stderr.slice(-1500)}`);
  return (performance.now() - start) / 1000;
}

/** Prints the losses and the returns that the run logged, first and last. */
async function report(name: string, what: string, folder: string, config: string, args: readonly string[]) {
  const seconds = run(`${name}: ${what}`, config, [...args, `save_path=${folder}`]);
  const lines = (await readFile(join(folder, 'metrics.jsonl'), 'utf8')).trim().split('\n');
  const metrics = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const span = (metric: string) => {
    const values = metrics.flatMap((line) => (typeof line[metric] === 'number' ? [line[metric]] : []));
    return values.length === 0 ? [] : [`${metric} ${[values[0], values.at(-1)!].map((x) => x.toFixed(3)).join(' → ')}`];
  };
  const shown = [
    'losses/nll',
    'losses/policy',
    'losses/critic',
    'eval/episodic_return',
    'test/episodic_return',
  ].flatMap(span);
  console.log(`${name}: ${what}: ${seconds.toFixed(0)} s, ${shown.join(', ')}, load ${loadavg()[0].toFixed(1)}`);
}
