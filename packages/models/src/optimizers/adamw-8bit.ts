// AdamW whose moments take two bytes a parameter instead of eight (moment-codes.ts). The arithmetic is in
// adamw-8bit-kernel.ts.
// Source: Dettmers et al. 2021 (arXiv:2110.02861). As in bitsandbytes, tensors below 4,096 elements keep float32 moments.
import type { Device, Kernel, State } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { adamW8bitGraph } from './adamw-8bit-graph.js';
import type { OptimizerStep } from './gradient-clip.js';
import { blockLength, wordsPerBlock } from './moment-codes.js';
import { adamArgs, type AdamOptions } from './adam.js';
import type { Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import { restoreStates, saveStates, shapesOf } from './optimizer-state.js';

/** Elements from which on a tensor's moments are quantised. */
const quantizedFrom = 4096;

/** In the metadata of a file, so that codes of another kind are not taken for these. */
const codeNote = { moment_codes: 'squares' };

export class AdamW8bit implements Optimizer {
  #steps = 0;

  private constructor(
    private readonly device: Device,
    readonly parameters: State,
    readonly gradients: State,
    private readonly moments: Record<'m' | 'v' | 'firstScales' | 'secondScales', State>,
    private readonly kernel: Kernel<AdamArgs, OptimizerStep>,
    private readonly options: AdamOptions,
  ) {}

  /**
   * Creates an optimizer with zero moments; gradients and moments take 1.5 times the parameters' memory.
   *
   * @param given gradients; its own if not given
   */
  static async create(device: Device, parameters: State, options: AdamOptions, given?: State): Promise<AdamW8bit> {
    const shapes = Object.entries(shapesOf(parameters)).map(([name, shape]) => {
      const size = shape.reduce((product, dim) => product * dim, 1);
      return { name, shape, blocks: size < quantizedFrom ? 0 : Math.ceil(size / blockLength) };
    });
    // Scales of 0 make every code a zero.
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
    const kernel = await device.loadKernel<AdamArgs, OptimizerStep>({
      module: new URL('./adamw-8bit-kernel.js', import.meta.url),
      name: 'adamW8bitStep',
      graph: adamW8bitGraph,
      run: options.run,
    });
    const moments = {
      m: await moment(),
      v: await moment(),
      firstScales: await scales(),
      secondScales: await scales(),
    };
    const gradients = given ?? (await device.createZeros(shapesOf(parameters)));
    return new AdamW8bit(device, parameters, gradients, moments, kernel, options);
  }

  get steps(): number {
    return this.#steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    const result = await this.kernel.call({
      states: { p: this.parameters, g: this.gradients, ...this.moments },
      args: adamArgs(options, this.options, this.#steps + 1, true),
    });
    if (Number.isFinite(result.gradientNorm)) this.#steps++;
    return result;
  }

  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    await saveStates(this.device, path, this.#states(), { steps: this.#steps, notes: { ...notes, ...codeNote } });
  }

  async restore(path: string): Promise<OptimizerNotes> {
    const { steps, notes } = await restoreStates(this.device, path, this.#states(), codeNote);
    this.#steps = steps;
    return notes;
  }

  async release(): Promise<void> {
    for (const state of [this.gradients, ...Object.values(this.moments)]) await this.device.release(state);
  }

  #states() {
    const { m, v, firstScales, secondScales } = this.moments;
    return {
      'first_moment.': m,
      'second_moment.': v,
      'first_moment_scale.': firstScales,
      'second_moment_scale.': secondScales,
    };
  }
}
