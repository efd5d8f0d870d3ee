// GPT-2 124M from random weights, linear weights in 4 and in 8 bits against float32: greedy decoding of 32 tokens after a
// prompt of 64, one row and 16 rows at a time. The three take turns, so that other work on the machine slows all alike.
// Run: node --conditions=source --import tsx benchmarks/quantized-decode.ts [repetitions] [rows]
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { Episodes, LanguageModel } from '@bowyer/models';
import { median, milliseconds } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 32;
const repetitions = Number(process.argv[2] ?? 5);
/** Rows at a time: 1 and 16, or as asked. */
const batches = process.argv[3] ? [Number(process.argv[3])] : [1, 16];
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
const kinds = ['none', '8bit', '4bit'] as const;

const device = await openDevice({ device: 'cpu' });
try {
  const models = new Map<string, LanguageModel>();
  for (const quantization of kinds) models.set(quantization, await randomGpt2(device, { quantization }));

  for (const rows of batches) {
    const rng = new Rng(2);
    const prompts = randomPrompts(rng, rows, PROMPT);
    const generate = (episodes: Episodes, maxNewTokens: number) =>
      milliseconds(() =>
        episodes.act(
          prompts.map((tokens, slot) => ({ slot, reset: true, tokens, rng })),
          { ...greedy, maxNewTokens },
        ),
      );
    const opened = new Map<string, Episodes>();
    for (const [kind, model] of models) {
      opened.set(kind, await model.openEpisodes({ slots: rows, contextLength: PROMPT + NEW_TOKENS }));
      await generate(opened.get(kind)!, 2); // compiles
    }
    const runs: Record<string, { prefill: number; step: number }>[] = [];
    for (let i = 0; i < repetitions; i++) {
      const run: (typeof runs)[number] = {};
      for (const [kind, episodes] of opened) {
        const prefill = await generate(episodes, 1);
        run[kind] = { prefill, step: ((await generate(episodes, NEW_TOKENS)) - prefill) / (NEW_TOKENS - 1) };
      }
      runs.push(run);
    }
    for (const kind of kinds) {
      const step = median(runs.map((run) => run[kind].step));
      const of = (key: 'step' | 'prefill') => median(runs.map((run) => run.none[key] / run[kind][key])).toFixed(2);
      console.log(
        `batch ${rows}, ${kind}: ${step.toFixed(1)} ms a step, ${((1e3 * rows) / step).toFixed(0)} tokens/s; ` +
          `against float32 decoding ${of('step')} × (aim 1.5), prompt ${of('prefill')} ×`,
      );
    }
    for (const episodes of opened.values()) await episodes.close();
  }
} finally {
  await device.close();
}
