// How long a model folder takes to load: in turn with reading the bytes of its weight file once, and with transformers
// (float32 on the CPU, imports not counted) where PYTHON names a Python that has it.
// Run: node --conditions=source --import tsx benchmarks/load-speed.ts FOLDER [repetitions] [none | 8bit | 4bit]
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { median } from './measure.js';

interface Seconds {
  wall: number;
  cpu: number;
}

const [, , folder, repetitions = '3', quantization = 'none'] = process.argv;
if (folder === undefined) throw new Error('load-speed: give a model folder with one model.safetensors');
const { PYTHON } = process.env;
const rows: Record<'ours' | 'tokenizer' | 'reading' | 'transformers', Seconds>[] = [];
for (let i = 0; i < Number(repetitions); i++) {
  const reading = await seconds(readOnce);
  const ours = await seconds(load);
  const tokenizer = await seconds(() => loadTokenizer(folder));
  rows.push({ ours, tokenizer, reading, transformers: transformersSeconds() });
  const [load1] = loadavg();
  const shown = Object.entries(rows.at(-1)!).map(
    ([what, { wall, cpu }]) => `${what} ${wall.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU`,
  );
  console.log(`${shown.join('; ')}; load ${load1.toFixed(1)}`);
}
const against = (what: 'reading' | 'transformers', kind: keyof Seconds) =>
  median(rows.map((row) => row.ours[kind] / row[what][kind])).toFixed(2);
console.log(`ours / reading the file: ${against('reading', 'wall')} (CPU time ${against('reading', 'cpu')})`);
if (PYTHON)
  console.log(
    `ours / transformers: ${against('transformers', 'wall')} (CPU time ${against('transformers', 'cpu')}; aim: 1.5)`,
  );

async function seconds(run: () => Promise<unknown>): Promise<Seconds> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - start) / 1e3, cpu: (user + system) / 1e6 };
}

async function load(): Promise<void> {
  const device = await openDevice({ device: 'cpu' });
  try {
    await LanguageModel.load({ device, dir: folder, quantization: quantization as 'none' | '8bit' | '4bit' });
  } finally {
    await device.close();
  }
}

/** Into memory that is written for the first time, as a loader's. */
async function readOnce(): Promise<void> {
  const file = await open(join(folder, 'model.safetensors'));
  try {
    const { size } = await file.stat();
    for (let at = 0; at < size; at += 2 ** 26) {
      const bytes = new Uint8Array(Math.min(2 ** 26, size - at));
      await file.read(bytes, 0, bytes.length, at);
    }
  } finally {
    await file.close();
  }
}

function transformersSeconds(): Seconds {
  if (!PYTHON) return { wall: NaN, cpu: NaN };
  const script = [
    'import time, torch, transformers, sys',
    'from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast',
    'a, c = time.time(), time.process_time()',
    'PreTrainedTokenizerFast.from_pretrained(sys.argv[1])',
    'm = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)',
    's = float(sum(p.detach().sum() for p in m.parameters()))', // mapped pages are read
    'print(time.time() - a, time.process_time() - c)',
  ].join('\n');
  const output = execFileSync(PYTHON, ['-c', script, folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [wall, cpu] = output.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { wall, cpu };
}
