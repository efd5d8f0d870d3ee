// Tests the parts of Falcon beyond its log-probabilities (see reference-checkpoints.test.ts): the tutorial's shape, and training that
// begins with a bfloat16 checkpoint, as published ones are.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDevice } from '@bowyer/graph';
import { linearBiases } from '../src/decoder/linear-biases.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { LanguageModel } from '../src/language-model/language-model.js';
import type { LoadOptions } from '../src/language-model/model-options.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { continuationExample } from './reference/continuation-example.js';

const fixture = fileURLToPath(new URL('./fixtures/falcon', import.meta.url));
const readConfig = (dir: string) => JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')) as object;

const device = await openDevice({ device: 'cpu', threads: 1 });
let dir: string;
beforeAll(async () => {
  dir = newFolder();
  await wordLevelTokenizer(['a b c d e f g h']).save(dir);
  writeBfloat16(join(fixture, 'model.safetensors'), join(dir, 'model.safetensors'));
  writeConfig({});
});
afterAll(() => device.close());

/** Writes the fixture's config in the form of a published checkpoint. */
const writeConfig = (changed: object) =>
  writeFileSync(
    join(dir, 'config.json'),
    JSON.stringify({ ...readConfig(fixture), torch_dtype: 'bfloat16', dtype: 'bfloat16', ...changed }),
  );

/** Writes the same tensors in bfloat16: the lower half of every float32 is cut off. */
function writeBfloat16(from: string, to: string): void {
  const file = readFileSync(from);
  const length = Number(file.readBigUInt64LE(0));
  type Header = Record<string, { dtype: string; data_offsets: number[] }>;
  const { __metadata__: _, ...header } = JSON.parse(file.toString('utf8', 8, 8 + length)) as Header;
  for (const entry of Object.values(header)) {
    expect(entry.dtype).toBe('F32');
    entry.dtype = 'BF16';
    entry.data_offsets = entry.data_offsets.map((offset) => offset / 2);
  }
  const data = file.subarray(8 + length);
  const halves = Buffer.alloc(data.length / 2);
  for (let i = 0; i < halves.length; i += 2) halves.writeUInt16LE(data.readUInt16LE(2 * i + 2), i);
  const json = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(json.length));
  writeFileSync(to, Buffer.concat([size, json, halves]));
}

const example = continuationExample([5, 6, 7], [8, 9, 10]);
const adamW = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

/**
 * Trains for some steps.
 *
 * @returns the loss before each step, in nats
 */
async function train(model: LanguageModel, steps: number): Promise<number[]> {
  const optimizer = await model.createOptimizer(adamW);
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    losses.push((await model.accumulateGradients([example])).loss);
    await optimizer.step({ lr: 1e-2, maxGradNorm: 1 });
  }
  return losses;
}

const load = (options: Partial<LoadOptions> = {}) => LanguageModel.load({ device, dir, ...options });

test('a bfloat16 checkpoint is trained in float32, and saved as what it is', async () => {
  const model = await load();
  const losses = await train(model, 2);
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(losses[1]).toBeLessThan(losses[0]);
  const logprobs = await model.logprobs([example]);
  const saved = join(dir, 'saved');
  await model.save(saved);
  await model.release();

  const { dtype, torch_dtype } = readConfig(saved) as Record<string, unknown>;
  expect([dtype, torch_dtype]).toEqual([undefined, 'float32']);
  expect(readFileSync(join(saved, 'model.safetensors')).includes('"dtype":"F32"')).toBe(true);
  const again = await load({ dir: saved });
  expect(await again.logprobs([example])).toEqual(logprobs);
  await again.release();
});

test('the shape of falcon-rw-1b is built: linear biases, a key and a value for every head', () => {
  const shape = { vocab_size: 50304, hidden_size: 2048, num_hidden_layers: 24, num_attention_heads: 32 };
  const variant = { alibi: true, bias: true, multi_query: false, parallel_attn: false };
  const architecture = architectureFor({ model_type: 'falcon', ...shape, ...variant });
  const count = architecture.parameters.reduce((sum, spec) => sum + spec.shape.reduce((a, b) => a * b, 1), 0);
  expect(count).toBe(1_311_625_216);
  // The expected values are those of transformers' build_alibi_tensor, beyond the integers that bfloat16 represents exactly.
  const { table } = linearBiases(4, 600, { isBfloat16: true });
  expect([301, 599, 600 + 303, 1200 + 517].map((i) => table[i])).toEqual([75.0, 150.0, 19.0, 8.0625]);
  expect(architecture).toMatchObject({ heads: 32, keyValueHeads: 32, headSize: 64, contextLength: 2048 });
});
