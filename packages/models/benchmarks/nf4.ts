// Four bits as evenly spaced levels with a zero point, which is what `quantization=4bit` has, beside NF4 (Dettmers et al. 2023,
// arXiv:2305.14314): the error of all linear weights of a Llama, and the loss on texts that the float32 model writes.
//   node --conditions=source --import tsx packages/models/benchmarks/nf4.ts FOLDER_OF_A_LLAMA
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSafetensors, writeSafetensors, type HostTensors } from '@bowyer/checkpoints';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from '../src/index.js';
import { dequantize, quantize } from '../src/quantization/quantized-weight.js';

/** Quantiles of a normal distribution, as bitsandbytes has them. */
const LEVELS = [
  -1, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0, 0.0795803, 0.1609302, 0.2461123,
  0.33791524, 0.44070983, 0.562617, 0.72295684, 1,
];
const NF4_BLOCK = 64;
const SCALES_BLOCK = 256;

const nearest = (value: number): number =>
  LEVELS.reduce((best, level) => (Math.abs(level - value) < Math.abs(best - value) ? level : best));

/** @param isDouble scales less their mean are rounded to 8 bits in blocks of 256 */
function nf4(values: Float32Array, isDouble: boolean): Float32Array {
  const count = Math.ceil(values.length / NF4_BLOCK);
  const scales = Float32Array.from({ length: count }, (_, block) =>
    values
      .subarray(block * NF4_BLOCK, (block + 1) * NF4_BLOCK)
      .reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  );
  const kept = isDouble ? rounded(scales) : scales;
  return values.map((value, i) => {
    const scale = kept[Math.floor(i / NF4_BLOCK)];
    return scale === 0 ? 0 : nearest(value / scale) * scale;
  });
}

function rounded(scales: Float32Array): Float32Array {
  const mean = scales.reduce((sum, scale) => sum + scale, 0) / scales.length;
  return scales.map((scale, i) => {
    const from = i - (i % SCALES_BLOCK);
    const most = scales
      .subarray(from, from + SCALES_BLOCK)
      .reduce((max, one) => Math.max(max, Math.abs(one - mean)), 0);
    return most === 0 ? scale : mean + (Math.round(((scale - mean) / most) * 127) * most) / 127;
  });
}

/** Blocks of `longest`, or of 16 where rows are not a multiple of it; rows that fit neither stay. */
function ours(values: Float32Array, [rows, columns]: readonly number[], longest: number): Float32Array {
  const blockSize = [longest, 32, 16].find((size) => size <= longest && columns % size === 0);
  return blockSize === undefined ? values : dequantize(quantize(values, [rows, columns], { bits: 4, blockSize }));
}

const FORMS: Record<string, (values: Float32Array, shape: readonly number[]) => Float32Array> = {
  'ours, blocks of 32': (values, shape) => ours(values, shape, 32),
  'ours, blocks of 16': (values, shape) => ours(values, shape, 16),
  'NF4, blocks of 64': (values) => nf4(values, false),
  'NF4, double quantisation': (values) => nf4(values, true),
};

const isLinear = (name: string) => /\.(q|k|v|o|gate|up|down)_proj\.weight$/.test(name);

/** Root mean square, in percent of that of the weights. */
function errorOf(before: HostTensors, after: HostTensors): number {
  let [error, size] = [0, 0];
  for (const name of Object.keys(before).filter(isLinear)) {
    const [was, is] = [before[name].data as Float32Array, after[name].data as Float32Array];
    for (let i = 0; i < was.length; i++) {
      error += (was[i] - is[i]) ** 2;
      size += was[i] ** 2;
    }
  }
  return 100 * Math.sqrt(error / size);
}

/** Texts of 200 tokens that a model samples from its beginning. */
async function written(model: LanguageModel, begin: number[], count: number): Promise<number[][]> {
  const episodes = await model.openEpisodes({ slots: count });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 200, terminatorIds: [] };
  const turns = Array.from({ length: count }, (_, slot) => ({ slot, rng: new Rng(slot), tokens: begin }));
  const utterances = await episodes.act(turns, sampling);
  await episodes.close();
  return utterances.map(({ ids }) => [...begin, ...ids]);
}

/** Nats a token. */
async function lossOf(model: LanguageModel, texts: readonly number[][]): Promise<number> {
  const examples = texts.map((ids) => ({
    ids: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    weights: new Float32Array(ids.length - 1).fill(1),
  }));
  const rows = await model.logprobs(examples);
  const sum = rows.reduce((total, row) => total - row.reduce((part, value) => part + value, 0), 0);
  return sum / examples.reduce((total, { ids }) => total + ids.length, 0);
}

async function lossWith(device: Device, dir: string, texts: readonly number[][]): Promise<number> {
  const model = await LanguageModel.load({ device, dir });
  const loss = await lossOf(model, texts);
  await model.release();
  return loss;
}

const [folder] = process.argv.slice(2);
const device = await openDevice({ device: 'cpu', threads: 1 });
const whole = await LanguageModel.load({ device, dir: folder });
const texts = await written(whole, whole.tokenizer.encodeWithSpecials('Once upon a time'), 32);
const base = await lossOf(whole, texts);
await whole.release();
console.log(
  `| form | weight error | loss, nats a token | change |\n|---|---|---|---|\n| float32 | 0 | ${base.toFixed(4)} | |`,
);
const weights = await readSafetensors(join(folder, 'model.safetensors'));
const changed = mkdtempSync(join(tmpdir(), 'bowyer-nf4-'));
for (const [name, change] of Object.entries(FORMS)) {
  cpSync(folder, changed, { recursive: true });
  const after = Object.fromEntries(
    Object.entries(weights).map(([key, tensor]) => [
      key,
      isLinear(key) ? { ...tensor, data: change(tensor.data as Float32Array, tensor.shape) } : tensor,
    ]),
  ) as HostTensors;
  rmSync(join(changed, 'model.safetensors'), { force: true });
  await writeSafetensors(join(changed, 'model.safetensors'), after);
  const loss = await lossWith(device, changed, texts);
  const share = ((100 * (loss - base)) / base).toFixed(2);
  console.log(`| ${name} | ${errorOf(weights, after).toFixed(2)} % | ${loss.toFixed(4)} | +${share} % |`);
}
rmSync(changed, { recursive: true });
await device.close();
