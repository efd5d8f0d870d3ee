// Derives `rope_scaling` of config.json (how rotary positions are scaled for longer contexts) from the metadata and tensors of a
// GGUF file.
import type { ConfigJson } from '@bowyer/checkpoints';
import { decimal, type GgufMetadata } from './gguf-metadata.js';

/** Returns `rope_scaling` of config.json; undefined where rotary positions are not scaled. */
export function ropeScaling(metadata: GgufMetadata): ConfigJson | undefined {
  const { vectors } = metadata;
  const type = metadata.text('.rope.scaling.type', 'none');
  if (vectors['rope_freqs.weight']) return llama3(metadata, vectors['rope_freqs.weight']);
  if (vectors['rope_factors_short.weight']) return longrope(metadata);
  // Files of older converters state the factor without a type, which means linear scaling.
  const factor = metadata.number('.rope.scaling.factor', metadata.number('.rope.scale_linear', 1));
  switch (type) {
    case 'none':
    case 'longrope':
      return undefined;
    case 'linear':
      return factor === 1 ? undefined : { rope_type: 'linear', factor };
    case 'yarn':
      return yarn(metadata, factor);
    default:
      throw metadata.fail(`its positions are stretched by ${JSON.stringify(type)}, which is not supported`);
  }
}

function yarn(metadata: GgufMetadata, factor: number): ConfigJson {
  const optional = (key: string, field: string) => (metadata.has(key) ? { [field]: metadata.number(key) } : {});
  // llama.cpp multiplies attention by 0.1 ln(factor) + 1 and by the file's `attn_factor`; config.json has the product of both.
  const own = metadata.number('.rope.scaling.attn_factor', 1);
  return {
    rope_type: 'yarn',
    factor,
    ...optional('.rope.scaling.original_context_length', 'original_max_position_embeddings'),
    ...optional('.rope.scaling.yarn_beta_fast', 'beta_fast'),
    ...optional('.rope.scaling.yarn_beta_slow', 'beta_slow'),
    ...(own !== 1 && { attention_factor: own * (1 + 0.1 * Math.log(factor)) }),
  };
}

function longrope(metadata: GgufMetadata): ConfigJson {
  const [short, long] = ['short', 'long'].map((part) => metadata.vectors[`rope_factors_${part}.weight`]);
  if (long?.length !== short.length) throw metadata.fail('it has no rope_factors_long.weight beside the short ones');
  const key = '.rope.scaling.attn_factor';
  return {
    rope_type: 'longrope',
    short_factor: Array.from(short, decimal),
    long_factor: Array.from(long, decimal),
    ...(metadata.has(key) && { attention_factor: metadata.number(key) }),
  };
}

/** A rotary frequency, and the share `keep` of it that scaling keeps: at 1 it is unchanged, at 0 divided by the factor. */
interface Point {
  frequency: number;
  keep: number;
}

/**
 * Derives the parameters of Llama 3's scaling from the numbers by which it divides the frequencies: slow ones by `factor`, fast
 * ones by 1, and between them `keep` is linear in the frequency. The divisors determine the original context length, `low` and
 * `high` only up to a common factor; `low` is taken as 1, as in Llama's own files.
 */
function llama3(metadata: GgufMetadata, divisors: Float32Array): ConfigJson | undefined {
  const factor = Number(divisors.reduce((a, b) => Math.max(a, b), 1).toPrecision(6));
  if (factor === 1) return undefined;
  const base = metadata.number('.rope.freq_base', 10_000);
  const points = Array.from(divisors, (d, i) => ({
    frequency: base ** (-i / divisors.length),
    keep: (1 / d - 1 / factor) / (1 - 1 / factor),
  }));
  if (points.every(isSlow)) return { rope_type: 'linear', factor };
  const [a, b] = anchors(points);
  const slope = (a.keep - b.keep) / (a.frequency - b.frequency);
  const low = a.frequency - a.keep / slope;
  const [high, original] = [1 + 1 / (slope * low), (2 * Math.PI) / low];
  const stretched = 2 ** 24 / original;
  const found = [
    { low: 1, high: Number(high.toPrecision(4)), original: Math.round(original) },
    { low: stretched, high: high * stretched, original: 2 ** 24 },
  ].find((scaling) => points.every((point) => Math.abs(kept(point, scaling) - point.keep) < TOLERANCE));
  if (found === undefined)
    throw metadata.fail('its tensor rope_freqs.weight is not the scaling of Llama 3, the only one that is read of it');
  return {
    rope_type: 'llama3',
    factor,
    low_freq_factor: found.low,
    high_freq_factor: found.high,
    original_max_position_embeddings: found.original,
  };
}

const TOLERANCE = 1e-4;
const isSlow = ({ keep }: Point) => keep < TOLERANCE;
const isFast = ({ keep }: Point) => keep > 1 - TOLERANCE;

/** Computes the share `keep` of a frequency for given parameters of Llama 3's scaling. */
function kept({ frequency }: Point, scaling: { low: number; high: number; original: number }): number {
  const turns = (scaling.original * frequency) / (2 * Math.PI);
  return Math.min(1, Math.max(0, (turns - scaling.low) / (scaling.high - scaling.low)));
}

/**
 * Returns two points of the section in which `keep` is linear in the frequency; where fewer than two points lie inside it, the
 * points at its ends. The frequencies of `points` are in descending order.
 */
function anchors(points: readonly Point[]): [Point, Point] {
  const between = points.filter((point) => !isSlow(point) && !isFast(point));
  if (between.length > 1) return [between[0], between.at(-1)!];
  const [fast, slow] = [points.findLast(isFast), points.find(isSlow)];
  const [middle] = between;
  if (middle === undefined || !fast || !slow) return [fast ?? middle, slow ?? middle];
  const isBeyond = middle.keep * (1 + fast.frequency / middle.frequency) >= 1;
  return isBeyond ? [middle, slow] : [fast, middle];
}
