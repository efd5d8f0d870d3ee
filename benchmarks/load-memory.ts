// Measures the peak memory of loading GPT-2 124M in float32, 8 and 4 bits, minus the process's memory before, as a share of the
// float32 weights, each in a separate process. If PYTHON has transformers, it loads the same folder in float32 for comparison.
//   PYTHON=… node --conditions=source --import tsx benchmarks/load-memory.ts
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type Quantization } from '@bowyer/models';
import { randomGpt2 } from './random-gpt2.js';

const [, , dir, quantization] = process.argv;
const device = await openDevice({ device: 'cpu' });
try {
  if (dir === undefined) await main();
  else await load(dir, quantization as Quantization);
} finally {
  await device.close();
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'load-memory-'));
  try {
    await (await randomGpt2(device)).save(folder);
    for (const kind of ['none', '8bit', '4bit'] satisfies Quantization[]) {
      const args = [...process.execArgv, fileURLToPath(import.meta.url), folder, kind];
      console.log(`quantization=${kind}: ${execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()}`);
    }
    console.log(peerMemory(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures the memory of AutoModelForCausalLM in a separate process; empty if Python lacks transformers. */
function peerMemory(path: string): string {
  const script = fileURLToPath(new URL('./peers/load_memory.py', import.meta.url));
  const { status, stdout } = spawnSync(process.env.PYTHON ?? 'python3', [script, path], { encoding: 'utf8' });
  return status === 0 ? `transformers: ${stdout.trim()}` : '';
}

async function load(path: string, quantization: Quantization): Promise<void> {
  const before = kilobytes('VmRSS');
  const model = await LanguageModel.load({ device, dir: path, quantization });
  const size = model.architecture.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 4), 0);
  const [peak, after] = [kilobytes('VmHWM') - before, kilobytes('VmRSS') - before];
  const times = (kb: number) => `${(kb / 2 ** 10).toFixed(0)} MiB, ${((kb * 2 ** 10) / size).toFixed(2)} ×`;
  console.log(`weights ${(size / 2 ** 20).toFixed(0)} MiB in float32; peak ${times(peak)}; afterwards ${times(after)}`);
}

function kilobytes(key: string): number {
  return Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))![1]);
}
