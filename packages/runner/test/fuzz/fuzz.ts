// Reads damaged inputs, and collects results that would not help a user: errors of JavaScript itself, and readers that take too
// long.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { mistakeOf } from './mistakes.js';
import type { Target } from './target.js';
import { targets } from './targets.js';

export interface FuzzResult {
  /** The number of inputs that were read without an error although they were damaged. */
  accepted: number;
  /** Each with the seed, from which the input can be made again. */
  findings: string[];
}

interface Input {
  seed: number;
  bytes: Uint8Array;
}

/** Measures the CPU time of this process, in milliseconds, which does not depend on how busy the machine is. */
async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

/**
 * Gives damaged inputs to a target.
 *
 * @param target a name of `targets`
 * @param first the first seed; each input has its own
 */
export async function fuzz(target: string, count: number, first = 1): Promise<FuzzResult> {
  const folder = newFolder();
  const reader = await targets[target](folder);
  for (const seed of reader.seeds) await reader.read(seed); // the undamaged inputs must be valid
  const result: FuzzResult = { accepted: 0, findings: [] };
  const make = (seed: number, lane: number): Input => {
    const rng = Rng.forPurpose(seed, target);
    const bytes = reader.damage(reader.seeds[rng.integer(0, reader.seeds.length - 1)], rng);
    writeFileSync(join(folder, `input-${lane}`), bytes); // the file shows what a reader that never ends was reading
    return { seed, bytes };
  };
  const read = async ({ seed, bytes }: Input) => {
    const problem = await reader.read(bytes).then(() => void result.accepted++, mistakeOf);
    if (problem) result.findings.push(`seed ${seed}: ${problem}`);
  };
  const { lanes = 1, limitMs = 2000 } = reader;
  try {
    for (let from = first; from < first + count; from += lanes) {
      const inputs = Array.from({ length: Math.min(lanes, first + count - from) }, (_, i) => make(from + i, i));
      const { ms } = await timed(() => Promise.all(inputs.map(read)));
      if (ms > limitMs) result.findings.push(...(await slowOnes(inputs, reader, limitMs)));
    }
  } finally {
    await reader.close?.();
  }
  return result;
}

/** Lists findings for the inputs that take long even if no others are read at the same time. */
async function slowOnes(inputs: readonly Input[], reader: Target, limitMs: number): Promise<string[]> {
  const findings: string[] = [];
  for (const { seed, bytes } of inputs) {
    const { ms } = await timed(() => reader.read(bytes).catch(() => undefined));
    if (ms > limitMs) findings.push(`seed ${seed}: took ${Math.round(ms)} ms`);
  }
  return findings;
}
