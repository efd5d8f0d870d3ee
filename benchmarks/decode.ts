// Times greedy decoding of GPT-2 124M with random weights: 32 tokens after a prompt of 64, with 1 to 32 rows at a time. Each step
// must read all weights and the valid part of the key-value cache once, so memory speed bounds the steps per second. From 16 rows
// on arithmetic bounds them too: the step is then also compared with its matrix products at the rate of the same shapes without
// memory reads. The prompt of one row can be longer than the others'.
//   node --conditions=source --import tsx benchmarks/decode.ts [repetitions] [rows, e.g. 1,16] [tokens of the longest prompt]
import { loadavg } from 'node:os';
import { Rng } from '@bowyer/core';
import { GraphBuilder, openDevice } from '@bowyer/graph';
import { copyRate, median, milliseconds } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 32;
const repetitions = Number(process.argv[2] ?? 5);
const batches = (process.argv[3] ?? '1,4,8,16,32').split(',').map(Number);
const longest = Number(process.argv[4] ?? PROMPT);
/** With fewer rows, memory alone bounds the speed. */
const ARITHMETIC_FROM = 16;
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };

/**
 * Measures after a pause: ONNX Runtime's threads keep spinning for about 50 ms after a run, which would slow the copy down and
 * thus improve the ratio.
 */
async function rested<T>(measure: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return measure();
}

const device = await openDevice({ device: 'cpu' });

/** Measures GFLOP/s of [n, width] × [width, rows], where the weights, 0.75 MiB, stay in each core's cache. */
async function cachedProductRate(rows: number, width: number): Promise<number> {
  const [columns, repeats] = [256, 512];
  const g = new GraphBuilder('cached_products');
  const shapes = { w: [columns, width], x: [repeats, width, rows] };
  const [w, x] = Object.entries(shapes).map(([name, shape]) => g.input(name, 'float32', shape));
  g.output('largest', g.reduceMax(g.matMul(w, x)));
  const tensors = Object.entries(shapes).map(([name, shape]) => {
    const data = new Float32Array(shape.reduce((a, b) => a * b)).map((_, i) => ((i % 17) - 8) / 16);
    return [name, { shape, data }];
  });
  const state = await device.createState(Object.fromEntries(tensors));
  const bound = await (await device.compile(g)).bind({ state: { w: [state, 'w'], x: [state, 'x'] } });
  await bound.run(); // the first run is not measured
  const times: number[] = [];
  for (let i = 0; i < repetitions; i++) times.push(await rested(() => milliseconds(() => bound.run())));
  return (2 * columns * width * rows * repeats) / median(times) / 1e6;
}

try {
  const rng = new Rng(1);
  const model = await randomGpt2(device);
  const copied = await copyRate(device);
  const { layers, keyValueHeads, headSize } = model.architecture;
  const weightBytes = 4 * (model.parameters.size - 1024 * 768); // few positions are read
  // Steps see from PROMPT to PROMPT + NEW_TOKENS − 2 earlier tokens.
  const tokenBytes = 4 * 2 * layers * keyValueHeads * headSize;

  const showArithmetic = async (rows: number, step: number) => {
    const gigaflops = await cachedProductRate(rows, keyValueHeads * headSize);
    const limit = (2 * rows * weightBytes) / 4 / gigaflops / 1e6;
    console.log(
      `batch ${rows}: ${(step / limit).toFixed(2)} × the arithmetic limit of ${limit.toFixed(1)} ms (${gigaflops.toFixed(0)} GFLOP/s)`,
    );
  };

  for (const rows of batches) {
    const episodes = await model.openEpisodes({ slots: rows, contextLength: longest + NEW_TOKENS });
    const prompts = [...randomPrompts(rng, 1, longest), ...randomPrompts(rng, rows - 1, PROMPT)];
    const generate = (maxNewTokens: number) =>
      milliseconds(() =>
        episodes.act(
          prompts.map((tokens, slot) => ({ slot, reset: true, tokens, rng })),
          { ...greedy, maxNewTokens },
        ),
      );
    await generate(2); // compiles
    const cached = longest + (rows - 1) * PROMPT + (rows * (NEW_TOKENS - 2)) / 2;
    const bytes = weightBytes + cached * tokenBytes;
    const runs: { prefill: number; step: number; copied: number }[] = [];
    for (let i = 0; i < repetitions; i++) {
      const rate = await rested(copied);
      const prefill = await generate(1);
      const whole = await generate(NEW_TOKENS);
      runs.push({ prefill, step: (whole - prefill) / (NEW_TOKENS - 1), copied: (rate + (await rested(copied))) / 2 });
    }
    const step = median(runs.map((run) => run.step));
    const factors = runs.map((run) => (run.step * 1e6 * run.copied) / bytes);
    console.log(
      `batch ${rows}: prompts of ${longest} and ${PROMPT} ${median(runs.map((run) => run.prefill)).toFixed(0)} ms; ` +
        `${step.toFixed(1)} ms a step, ${((1e3 * rows) / step).toFixed(0)} tokens/s; ` +
        `${(bytes / 1e6).toFixed(0)} MB a step, ${(bytes / step / 1e6).toFixed(1)} GB/s; copy rate ${median(runs.map((run) => run.copied)).toFixed(1)} GB/s`,
    );
    console.log(
      `batch ${rows}: ${median(factors).toFixed(2)} × the memory limit (aim: at most 1.6 at 4 to 32 rows); runs ${factors.map((x) => x.toFixed(2)).join(' ')}; load ${loadavg()[0].toFixed(1)}`,
    );
    await episodes.close();
    if (rows >= ARITHMETIC_FROM) await showArithmetic(rows, step);
  }
} finally {
  await device.close();
}
