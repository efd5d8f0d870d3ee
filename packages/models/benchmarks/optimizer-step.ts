// How long one AdamW step over GPT-2's 124 million parameters takes, beside the machine's speed at copying memory.
// Run from the repository root: node --conditions=source --import tsx packages/models/benchmarks/optimizer-step.ts
import { openDevice } from '@bowyer/graph';
import { AdamW } from '../src/optimizer-adam.js';

const repeats = 7;
const embedding = 50_257 * 768;
const block = 7_087_872; // of one of twelve blocks: 12 · 768² + 13 · 768
const shapes = {
  embedding: [embedding],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h.${i}`, [block]])),
};

const best = async (work: () => Promise<unknown> | void) => {
  let least = Infinity;
  for (let i = 0; i < repeats; i++) {
    const start = performance.now();
    await work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
};

const device = await openDevice({ device: 'cpu', threads: 1 });
try {
  const parameters = await device.createZeros(shapes);
  const optimizer = await AdamW.create(device, parameters, { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 });
  await device.write(optimizer.gradients, { embedding: { data: new Float32Array(embedding).fill(1e-3) } });
  const step = await best(() => optimizer.step({ lr: 1e-4, maxGradNorm: 1 }));
  const [source, target] = [new Float32Array(parameters.size).fill(1), new Float32Array(parameters.size)];
  const copy = await best(() => target.set(source));
  const gigabytes = (8 * parameters.size) / 1e9; // read and written
  console.log(
    [
      `parameters        ${(parameters.size / 1e6).toFixed(1)} M`,
      `AdamW step        ${step.toFixed(0)} ms (least of ${repeats}; norm, clip, update, gradients to zero)`,
      `copy of as many   ${copy.toFixed(0)} ms (${(gigabytes / copy) * 1000} GB/s read and written)`,
      `ratio             ${(step / copy).toFixed(1)}; 4.5 would be memory speed (four arrays read and written, gradients read twice)`,
    ].join('\n'),
  );
} finally {
  await device.close();
}
