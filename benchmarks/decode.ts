// GPT-2 124M from random weights: greedy decoding of 32 tokens after a prompt of 64, with 1 to 32 rows at a time. Each step
// must read all weights and the valid part of the key-value cache once, so memory speed bounds the steps per second.
// Run: node --conditions=source --import tsx benchmarks/decode.ts [repetitions] [rows, e.g. 1,16]
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { copyRate, median, milliseconds } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 32;
const repetitions = Number(process.argv[2] ?? 5);
const batches = (process.argv[3] ?? '1,4,8,16,32').split(',').map(Number);
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };

/** ONNX Runtime's threads look for work for some 50 ms after a run, which would slow the copy down and so flatter the ratio. */
async function rested<T>(measure: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return measure();
}

const device = await openDevice({ device: 'cpu' });
try {
  const rng = new Rng(1);
  const model = await randomGpt2(device);
  const copied = await copyRate(device);
  const { layers, keyValueHeads, headSize } = model.architecture;
  const weightBytes = 4 * (model.parameters.size - 1024 * 768); // few positions are read
  // Steps see from PROMPT to PROMPT + NEW_TOKENS − 2 earlier tokens.
  const cacheBytes = 4 * 2 * layers * keyValueHeads * headSize * (PROMPT + (NEW_TOKENS - 2) / 2);

  for (const rows of batches) {
    const episodes = await model.openEpisodes({ slots: rows, contextLength: PROMPT + NEW_TOKENS });
    const prompts = randomPrompts(rng, rows, PROMPT);
    const generate = (maxNewTokens: number) =>
      milliseconds(() =>
        episodes.act(
          prompts.map((tokens, slot) => ({ slot, reset: true, tokens, rng })),
          { ...greedy, maxNewTokens },
        ),
      );
    await generate(2); // compiles
    const bytes = weightBytes + rows * cacheBytes;
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
      `batch ${rows}: prompt of ${PROMPT} ${median(runs.map((run) => run.prefill)).toFixed(0)} ms; ` +
        `${step.toFixed(1)} ms a step, ${((1e3 * rows) / step).toFixed(0)} tokens/s; ` +
        `${(bytes / 1e6).toFixed(0)} MB a step, ${(bytes / step / 1e6).toFixed(1)} GB/s; copy rate ${median(runs.map((run) => run.copied)).toFixed(1)} GB/s`,
    );
    console.log(
      `batch ${rows}: ${median(factors).toFixed(2)} × the memory limit (aim: at most 1.6 at 4 to 32 rows); runs ${factors.map((x) => x.toFixed(2)).join(' ')}`,
    );
    await episodes.close();
  }
} finally {
  await device.close();
}
