// The optimizers' step over GPT-2's 124 million parameters beside a copy of the same bytes (parameters, gradients, moments).
// Run from the repository root: node --conditions=source --import tsx benchmarks/optimizer.ts [repetitions] [kinds]
import { openDevice } from '@bowyer/graph';
import { createOptimizer, type OptimizerOptions } from '@bowyer/models';
import { median, milliseconds } from './measure.js';

const [, , repetitions = '5', kinds = 'adamw,sgd,adamw_8bit'] = process.argv;
const embedding = 50_257 * 768;
const block = 7_087_872; // of one of twelve blocks: 12 · 768² + 13 · 768
const shapes = {
  embedding: [embedding],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h.${i}`, [block]])),
};

const adam = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
const measured: Record<string, { options: OptimizerOptions; bytes: number }> = {
  // Bytes of a parameter with its gradient and what the optimizer keeps of it.
  adamw: { options: { kind: 'adamw', ...adam }, bytes: 16 },
  sgd: { options: { kind: 'sgd', momentum: 0.9, nesterov: false, weightDecay: 0.01 }, bytes: 12 },
  adamw_8bit: { options: { kind: 'adamw_8bit', ...adam }, bytes: 10 },
};

for (const kind of kinds.split(',')) {
  const { options, bytes } = measured[kind];
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const parameters = await device.createZeros(shapes);
    const optimizer = await createOptimizer(device, parameters, options);
    const gradient = { embedding: { data: new Float32Array(embedding).fill(1e-3) } };
    const [source, target] = [new Float32Array(parameters.size).fill(1), new Float32Array(parameters.size).fill(2)];
    const [steps, copies, ratios]: number[][] = [[], [], []];
    for (let i = -1; i < Number(repetitions); i++) {
      await device.write(optimizer.gradients, gradient);
      const step = await milliseconds(() => optimizer.step({ lr: 1e-4, maxGradNorm: 1 }));
      const copy = (await milliseconds(() => target.set(source))) * (bytes / 4); // one array, timed for as many as there are
      if (i < 0) continue; // the first touches every page
      steps.push(step);
      copies.push(copy);
      ratios.push(step / copy);
    }
    console.log(
      `${kind.padEnd(10)} step ${median(steps).toFixed(0)} ms, copy of ${bytes} bytes a parameter ${median(copies).toFixed(0)} ms, ` +
        `ratio ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; one thread each)`,
    );
  } finally {
    await device.close();
  }
}
