// Data parallel on this machine: strong and weak scaling over 1 and 2 ranks of one thread each, the share of the time in which ranks
// wait for each other and exchange gradients, and how far the weights of 2 ranks are from those of one process after all steps.
//
//     node --conditions=source --import tsx benchmarks/data-parallel.ts [tiny | small | gpt2, each with -zero1] [rounds] [steps]
//
// Strong: the same batch, divided. Weak: a batch of the same size for each rank. Rounds alternate, so that other work on the machine
// slows all alike; the load average is printed, since on a machine with other work the figures say little.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneRank, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { readSafetensors, writeSafetensors } from '@bowyer/checkpoints';
import { gpt2Config, LanguageModel, takeExchangeTimes, type TokenExample } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { joinRanks } from '@bowyer/mpi';
import { median } from './measure.js';
import { randomGpt2 } from './random-gpt2.js';

const ROWS = 8;
const TOKENS = 96;
const WARM_UP = 2;

interface Measured {
  secondsPerStep: number;
  waitShare: number;
  exchangeShare: number;
}

/** One rank: trains on random tokens. Rank 0 prints what it measured, and writes the weights. */
async function rank(model: string, batch: number, steps: number, output: string): Promise<void> {
  const mpi = await joinRanks();
  const ranks = mpi ?? oneRank;
  const device = await openDevice({ device: 'cpu', threads: 1, ranks, shardsOptimizers: model.endsWith('-zero1') });
  const policy = model.startsWith('gpt2')
    ? await randomGpt2(device)
    : await smallModel(device, model.startsWith('tiny') ? 2 : 5);
  await policy.createOptimizer({ kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 });
  const rng = new Rng(3);
  const step = async () => {
    await policy.accumulateGradients(randomExamples(rng, batch, policy.tokenizer.vocabSize));
    await policy.optimizer.step({ lr: 1e-4, maxGradNorm: 1 });
  };
  for (let i = 0; i < WARM_UP; i++) await step();
  await ranks.barrier();
  takeExchangeTimes(device);
  const start = performance.now();
  for (let i = 0; i < steps; i++) await step();
  const total = performance.now() - start;
  const { wait, exchange } = takeExchangeTimes(device);
  if (ranks.rank === 0) {
    await writeSafetensors(output, await policy.copyParameters());
    const measured: Measured = {
      secondsPerStep: total / steps / 1000,
      waitShare: wait / total,
      exchangeShare: exchange / total,
    };
    console.log(JSON.stringify(measured));
  }
  await policy.release();
  await device.close();
  mpi?.finalize();
}

/** 8.7 million parameters with 5 layers, 0.9 with 2. */
function smallModel(device: Awaited<ReturnType<typeof openDevice>>, layers: number): Promise<LanguageModel> {
  const words = Array.from({ length: 1600 * layers }, (_, i) => `w${i}`);
  const tokenizer = wordLevelTokenizer([words.join(' ')], { minCount: 1 });
  const sizes = { n_embd: 64 * layers, n_layer: layers, n_head: layers, n_positions: 128 };
  const config = gpt2Config({ ...sizes, vocab_size: tokenizer.vocabSize });
  return LanguageModel.create({ device, tokenizer, config: { ...config }, rng: new Rng(1), masksPadding: false });
}

const randomExamples = (rng: Rng, rows: number, vocabulary: number): TokenExample[] =>
  Array.from({ length: rows }, () => {
    const ids = Int32Array.from({ length: TOKENS + 1 }, () => rng.integer(1, Math.min(vocabulary, 50_000) - 1));
    const weights = new Float32Array(TOKENS).fill(1 / (rows * TOKENS));
    return { ids: ids.slice(0, -1), targets: ids.slice(1), weights };
  });

function measure(model: string, ranks: number, batch: number, steps: number, output: string): Measured {
  const own = [
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    'rank',
    model,
    String(batch),
    String(steps),
    output,
  ];
  const mpirun = ['--allow-run-as-root', '--oversubscribe', '--bind-to', 'none', '-n', String(ranks), process.execPath];
  const [program, args] = ranks === 1 ? [process.execPath, own] : ['mpirun', [...mpirun, ...own]];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}\n${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Measured;
}

async function largestDifference(one: string, other: string): Promise<{ difference: number; largest: number }> {
  const [a, b] = await Promise.all([readSafetensors(one), readSafetensors(other)]);
  let [difference, largest] = [0, 0];
  for (const [name, { data }] of Object.entries(a))
    data.forEach((value, i) => {
      difference = Math.max(difference, Math.abs(value - b[name].data[i]));
      largest = Math.max(largest, Math.abs(value));
    });
  return { difference, largest };
}

async function compare(model: string, rounds: number, steps: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bowyer-ranks-'));
  const file = (name: string) => join(folder, `${name}.safetensors`);
  const cases = [
    { name: '1 rank', ranks: 1, batch: ROWS },
    { name: '2 ranks, strong', ranks: 2, batch: ROWS },
    { name: '2 ranks, weak', ranks: 2, batch: 2 * ROWS },
  ];
  const found = cases.map((): Measured[] => []);
  try {
    for (let round = 0; round < rounds; round++)
      cases.forEach(({ name, ranks, batch }, i) => found[i].push(measure(model, ranks, batch, steps, file(name))));
    const load = loadavg().map((value) => value.toFixed(1));
    console.log(
      `${model}, ${ROWS} × ${TOKENS} tokens, ${steps} steps, ${rounds} rounds; load average ${load.join(' ')}`,
    );
    cases.forEach(({ name, batch }, i) => {
      const of = (key: keyof Measured) => median(found[i].map((measured) => measured[key]));
      // Ratios of the same round, in which the machine was equally busy.
      const rate = ({ secondsPerStep }: Measured, rows: number) => rows / secondsPerStep;
      const gain = median(found[i].map((measured, r) => rate(measured, batch) / rate(found[0][r], ROWS)));
      console.log(
        `${name.padEnd(16)} ${of('secondsPerStep').toFixed(3)} s/step  ${gain.toFixed(2)} ×  ` +
          `waiting ${(100 * of('waitShare')).toFixed(1)} %  exchange ${(100 * of('exchangeShare')).toFixed(1)} %`,
      );
    });
    const { difference, largest } = await largestDifference(file('1 rank'), file('2 ranks, strong'));
    console.log(
      `largest difference of a weight after ${WARM_UP + steps} steps, 2 ranks and 1: ${difference.toExponential(1)}; largest weight ${largest.toFixed(2)}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [first = 'small', ...rest] = process.argv.slice(2);
if (first === 'rank') await rank(rest[0], Number(rest[1]), Number(rest[2]), rest[3]);
else await compare(first, Number(rest[0] ?? 3), Number(rest[1] ?? 18));
