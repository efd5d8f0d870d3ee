// GPT-2 124M from random weights: greedy decoding of 32 tokens after a prompt of 64, one row and 16 rows at a time.
// Each step must read all weights once, so memory speed bounds the steps per second.
// Run: node --conditions=source --import tsx benchmarks/decode.ts [repetitions]
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { copyRate, median, milliseconds } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 32;
const repetitions = Number(process.argv[2] ?? 7);
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };

const device = await openDevice({ device: 'cpu' });
try {
  const rng = new Rng(1);
  const model = await randomGpt2(device);
  const copied = await copyRate(device);
  const weightBytes = 4 * (model.parameters.size - 1024 * 768); // few positions are read

  for (const rows of [1, 16]) {
    const episodes = await model.openEpisodes({ slots: rows });
    const prompts = randomPrompts(rng, rows, PROMPT);
    const generate = (maxNewTokens: number) =>
      milliseconds(() =>
        episodes.act(
          prompts.map((tokens, slot) => ({ slot, reset: true, tokens, rng })),
          { ...greedy, maxNewTokens },
        ),
      );
    await generate(2); // compiles
    const runs: { prefill: number; step: number; copied: number }[] = [];
    for (let i = 0; i < repetitions; i++) {
      const rate = await copied();
      const prefill = await generate(1);
      const whole = await generate(NEW_TOKENS);
      runs.push({ prefill, step: (whole - prefill) / (NEW_TOKENS - 1), copied: (rate + (await copied())) / 2 });
    }
    for (const run of runs)
      console.log(
        `  prefill ${run.prefill.toFixed(0)} ms, step ${run.step.toFixed(1)} ms, copy ${run.copied.toFixed(1)} GB/s`,
      );
    const step = median(runs.map((run) => run.step));
    const share = median(runs.map((run) => weightBytes / run.step / 1e6 / run.copied));
    console.log(`batch ${rows}: prompt of ${PROMPT}        ${median(runs.map((run) => run.prefill)).toFixed(0)} ms`);
    console.log(
      `batch ${rows}: decoding            ${((1e3 * rows) / step).toFixed(0)} tokens/s, ${step.toFixed(1)} ms a step`,
    );
    console.log(`batch ${rows}: weights read        ${(weightBytes / step / 1e6).toFixed(1)} GB/s`);
    console.log(`copy rate, both cores    ${median(runs.map((run) => run.copied)).toFixed(1)} GB/s (read + written)`);
    console.log(
      `batch ${rows}: share of the limit  ${share.toFixed(2)} (aim: ${rows === 1 ? 'at least 0.6' : 'at least 0.35, or 500 tokens/s where the copy rate is 30 GB/s'})`,
    );
    await episodes.close();
  }
} finally {
  await device.close();
}
