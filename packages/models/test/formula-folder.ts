// Writes model folders with the weights that record-transformers.py used: a formula of the tensors' names.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWeights, type HostTensor } from '@bowyer/checkpoints';

/** Computes a hash of the name and of each index, uniform in ±0.5; scales of norms are around 1. */
export function formula(name: string, shape: readonly number[]): HostTensor {
  let seed = 2166136261;
  for (const byte of new TextEncoder().encode(name)) seed = Math.imul(seed ^ byte, 16777619) >>> 0;
  const isScale = name.toLowerCase().endsWith('norm.weight') || name.endsWith('layernorm_embedding.weight');
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  for (let i = 0; i < data.length; i++) {
    let h = (Math.imul(i, 2654435761) + seed) >>> 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
    const uniform = ((h ^ (h >>> 16)) >>> 0) / 2 ** 32 - 0.5;
    data[i] = isScale ? 1 + 0.5 * uniform : uniform;
  }
  return { shape: [...shape], data };
}

export interface RecordedFolder {
  config: Record<string, unknown>;
  /** Shapes by tensor name. */
  tensors: Record<string, number[]>;
  /** Tensors that equal another tensor, with its name. */
  copies: Record<string, string>;
}

/** Writes config.json and model.safetensors. */
export async function writeFolder(dir: string, { config, tensors, copies }: RecordedFolder): Promise<void> {
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  const weights = Object.entries(tensors).map(([name, shape]) => [name, formula(copies[name] ?? name, shape)] as const);
  await writeWeights(dir, Object.fromEntries(weights));
}

export const furthest = (found: ArrayLike<number>, expected: ArrayLike<number>): number =>
  Array.from(expected, (value, i) => Math.abs(found[i] - value)).reduce((a, b) => Math.max(a, b), 0);
