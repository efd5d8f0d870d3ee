// Makes the optimizer AdamW with moments of two bytes per parameter instead of eight (moment-codes.ts). adamw-8bit-kernel.ts has its step.
// Source: Dettmers et al. 2021 (arXiv:2110.02861). As in bitsandbytes, tensors below 4,096 elements have float32 moments.
import type { AdamArgs } from './adam-kernel.js';
import { adamW8bitGraph } from './adamw-8bit-graph.js';
import { blockLength, wordsPerBlock } from './moment-codes.js';
import { ADAM_PREFIXES, adamArgs, type AdamOptions } from './adam.js';
import { KernelOptimizer, type Optimized } from './kernel-optimizer.js';
import type { Optimizer } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

/** The number of elements from which on a tensor's moments are quantised. */
const quantizedFrom = 4096;

const prefixes = {
  ...ADAM_PREFIXES,
  firstScales: 'first_moment_scale.',
  secondScales: 'second_moment_scale.',
};

/** Creates an optimizer with zero moments; gradients and moments need 1.5 times the parameters' memory. */
export async function createAdamW8bit(states: Optimized, options: AdamOptions): Promise<Optimizer> {
  const { device, parameters } = states;
  const shapes = Object.entries(shapesOf(parameters)).map(([name, shape]) => {
    const size = shape.reduce((product, dim) => product * dim, 1);
    return { name, shape, blocks: size < quantizedFrom ? 0 : Math.ceil(size / blockLength) };
  });
  // The codes and scales of moments are initially 0; with a scale of 0, every code decodes to a moment of 0.
  const moment = () =>
    device.createZeros(
      Object.fromEntries(
        shapes.map(({ name, shape, blocks }) => [
          name,
          blocks ? { shape: [blocks, wordsPerBlock], dtype: 'int32' } : { shape, dtype: 'float32' },
        ]),
      ),
    );
  const scales = () =>
    device.createZeros(
      Object.fromEntries(shapes.filter(({ blocks }) => blocks).map(({ name, blocks }) => [name, [blocks, 1]])),
    );
  return KernelOptimizer.create<AdamArgs>({
    ...states,
    moments: {
      m: await moment(),
      v: await moment(),
      firstScales: await scales(),
      secondScales: await scales(),
    },
    prefixes,
    kernel: {
      module: new URL('./adamw-8bit-kernel.js', import.meta.url),
      name: 'adamW8bitStep',
      graph: adamW8bitGraph,
      run: options.run,
    },
    note: { moment_codes: 'squares' }, // names the kind of codes, so that files with other codes are refused
    argsOf: (given, step) => adamArgs(given, options, step, true),
  });
}
