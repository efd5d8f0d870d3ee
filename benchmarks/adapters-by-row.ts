// A decoding step of GPT-2 124M (random weights) with room for 1 and 4 adapters of rank 8 beside all linear layers, of which each row has
// one, against the model without any, on one thread: medians of the CPU time of a step (to which other work on the machine adds little),
// measured in turn, and the median ratio.
// Run: node --conditions=source --import tsx benchmarks/adapters-by-row.ts [repetitions] [rows, e.g. 1,4,16] [none, 8bit, 4bit] [adapters]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type LoadedAdapter, type Quantization } from '@bowyer/models';
import { median } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const PROMPT = 64;
const NEW_TOKENS = 12;
const RANK = 8;

const repetitions = Number(process.argv[2] ?? 9);
const batches = (process.argv[3] ?? '1,4,16').split(',').map(Number);
const quantization = (process.argv[4] ?? 'none') as Quantization;
const ROOM = [0, ...(process.argv[5] ?? '1,4').split(',').map(Number)];
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };

/** In ms, of all threads. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = await mkdtemp(join(tmpdir(), 'adapters-by-row-'));
const [base, adapter] = [join(folder, 'base'), join(folder, 'adapter')];
try {
  const plain = await randomGpt2(device);
  await plain.save(base);
  await plain.release();
  const lora = { r: RANK, alpha: 16, dropout: 0, targetModules: 'all-linear', seed: 1 };
  const trained = await LanguageModel.load({ device, dir: base, lora });
  const tensors = await trained.copyParameters();
  const rng = new Rng(2);
  for (const { data } of Object.values(tensors)) data.forEach((_, i) => (data[i] = 0.02 * rng.normal()));
  await trained.restoreParameters(tensors);
  await trained.save(adapter);
  await trained.release();

  const models = [];
  for (const places of ROOM) {
    const adapterBank = { places, rank: RANK, targetModules: null, dirs: [adapter] };
    const model = await LanguageModel.load({
      device,
      dir: base,
      quantization,
      masksPadding: false,
      ...(places > 0 && { adapterBank }),
    });
    const loaded: LoadedAdapter[] = [];
    for (let i = 0; i < places; i++) loaded.push(await model.adapterBank!.load(await model.adapterBank!.read(adapter)));
    models.push({ places, model, loaded });
  }
  for (const rows of batches) {
    const prompts = randomPrompts(new Rng(3), rows, PROMPT);
    const steps: number[][] = ROOM.map(() => []);
    const games = [];
    for (const { model, loaded } of models) {
      const episodes = await model.openEpisodes({ slots: rows, contextLength: PROMPT + NEW_TOKENS });
      const generate = (maxNewTokens: number) =>
        cpuTime(() =>
          episodes.act(
            prompts.map((tokens, slot) => ({
              slot,
              reset: true,
              tokens,
              rng,
              adapter: loaded.length === 0 ? null : loaded[slot % loaded.length],
            })),
            { ...greedy, maxNewTokens },
          ),
        );
      await generate(2); // compiles
      games.push({ episodes, generate });
    }
    for (let i = 0; i < repetitions; i++)
      for (const [m, { generate }] of games.entries()) {
        const prefill = await generate(1);
        steps[m].push(((await generate(NEW_TOKENS)) - prefill) / (NEW_TOKENS - 1));
      }
    const said = ROOM.map((places, m) => {
      const ratio = median(steps[m].map((step, i) => step / steps[0][i]));
      return `${places} adapters ${median(steps[m]).toFixed(1)} ms${m === 0 ? '' : ` (${ratio.toFixed(2)} ×)`}`;
    });
    console.log(`${quantization}, ${rows} rows, load ${loadavg()[0].toFixed(1)}: a step with ${said.join(', ')}`);
    for (const { episodes } of games) await episodes.close();
  }
} finally {
  await device.close();
  await rm(folder, { recursive: true, force: true });
}
