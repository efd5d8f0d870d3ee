// Adam and AdamW over a state of parameters: gradients are summed into `gradients` by the training programs, one `step`
// clips, updates in place and sets them to zero. The arithmetic is in kernels/adam-kernel.ts.
import type { Device, Kernel, State } from '@bowyer/graph';
import { adamGraph } from './kernels/adam-graph.js';
import type { AdamArgs, AdamResult } from './kernels/adam-kernel.js';
import { SafetensorsError } from './safetensors-header.js';
import { readSafetensorsFile, writeSafetensors, type HostTensors } from './safetensors.js';
import { copyTensors, writeTensors } from './state-tensors.js';

export interface AdamOptions {
  /** β₁, β₂: decay of the first and second moment per step. */
  betas: readonly [number, number];
  /** ε, added to the root of the second moment. */
  eps: number;
  /** λ: Adam adds λp to the gradient, AdamW shrinks p by lr · λ. */
  weightDecay: number;
  /** Overrides the device's choice between the function in its worker and the graph, so that a test can compare them. */
  run?: 'host' | 'graph';
}

export interface StepOptions {
  lr: number;
  /** Largest global norm of the summed gradients; Infinity for none. */
  maxGradNorm: number;
  /** Multiplies the summed gradients before the norm is taken, e.g. 1 / micro-batches for their mean. */
  gradientScale?: number;
  /** Norm of another network's gradients that shares the clip (ArCHer's own code clips all networks together). */
  foreignNorm?: number;
}

export class Adam {
  /** AdamW's decay? */
  protected readonly decoupled: boolean = false;
  #steps = 0;

  protected constructor(
    private readonly device: Device,
    readonly parameters: State,
    /** Same names and shapes as the parameters; training programs add into it. */
    readonly gradients: State,
    private readonly firstMoments: State,
    private readonly secondMoments: State,
    private readonly kernel: Kernel<AdamArgs, AdamResult>,
    private readonly options: AdamOptions,
  ) {}

  /** An optimizer with zero moments; it takes three times the parameters' memory. */
  static async create(device: Device, parameters: State, options: AdamOptions): Promise<Adam> {
    const shapes = Object.fromEntries([...parameters.tensors].map(([name, { shape }]) => [name, shape]));
    const zeros = () => device.createZeros(shapes);
    const kernel = await device.loadKernel<AdamArgs, AdamResult>({
      module: new URL('./kernels/adam-kernel.js', import.meta.url),
      name: 'adamStep',
      graph: adamGraph,
      run: options.run,
    });
    return new this(device, parameters, await zeros(), await zeros(), await zeros(), kernel, options);
  }

  /** Steps taken so far. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * One step on the summed gradients, which are zero afterwards.
   * If they are not finite nothing else is changed, and `gradientNorm` is NaN or infinite: the caller decides.
   */
  async step({ lr, maxGradNorm, gradientScale = 1, foreignNorm = 0 }: StepOptions): Promise<AdamResult> {
    const { betas, eps, weightDecay } = this.options;
    const [beta1, beta2] = betas;
    const step = this.#steps + 1;
    const result = await this.kernel.call({
      states: { p: this.parameters, g: this.gradients, m: this.firstMoments, v: this.secondMoments },
      args: {
        maxGradNorm,
        gradientScale,
        foreignNorm,
        beta1,
        beta2,
        oneMinusBeta1: 1 - beta1,
        oneMinusBeta2: 1 - beta2,
        stepSize: lr / (1 - beta1 ** step),
        secondMomentScale: 1 / Math.sqrt(1 - beta2 ** step),
        eps,
        l2: this.decoupled ? 0 : weightDecay,
        keep: this.decoupled ? 1 - lr * weightDecay : 1,
      },
    });
    if (Number.isFinite(result.gradientNorm)) this.#steps++;
    return result;
  }

  /** Writes the moments and the number of steps to a safetensors file. Gradients are not kept: save between steps. */
  async save(path: string): Promise<void> {
    const tensors: HostTensors = {};
    for (const [prefix, state] of this.#moments()) {
      for (const [name, tensor] of Object.entries(await copyTensors(this.device, state)))
        tensors[prefix + name] = tensor;
    }
    await writeSafetensors(path, tensors, { format: 'pt', steps: String(this.#steps) });
  }

  /** Takes up, bit for bit, what `save` wrote. */
  async restore(path: string): Promise<void> {
    const { tensors, metadata } = await readSafetensorsFile(path);
    const steps = Number(metadata.steps);
    if (!Number.isInteger(steps))
      throw new SafetensorsError(path, null, "metadata 'steps' of an optimizer", String(metadata.steps));
    for (const [prefix, state] of this.#moments()) await writeTensors(this.device, state, tensors, { path, prefix });
    this.#steps = steps;
  }

  async release(): Promise<void> {
    for (const state of [this.gradients, this.firstMoments, this.secondMoments]) await this.device.release(state);
  }

  #moments(): [prefix: string, state: State][] {
    return [
      ['first_moment.', this.firstMoments],
      ['second_moment.', this.secondMoments],
    ];
  }
}

/** Adam with decoupled weight decay. */
export class AdamW extends Adam {
  protected override readonly decoupled = true;
}
