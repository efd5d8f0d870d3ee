// Adam and AdamW over a state of parameters. The arithmetic is in adam-kernel.ts.
import type { Device, Kernel, State } from '@bowyer/graph';
import { adamGraph } from './adam-graph.js';
import type { AdamArgs } from './adam-kernel.js';
import type { OptimizerStep } from './gradient-clip.js';
import type { AdamSettings, Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import { restoreStates, saveStates, shapesOf } from './optimizer-state.js';

export interface AdamOptions extends AdamSettings {
  /** Overrides the device's choice between the function in its worker and the graph, so that a test can compare them. */
  run?: 'host' | 'graph';
}

/** Returns the numbers of one step. @param step 1 at the first one; @param decoupled AdamW's decay? */
export function adamArgs(
  { lr, maxGradNorm, gradientScale = 1, foreignNorm = 0, adam }: StepOptions,
  options: AdamOptions,
  step: number,
  decoupled: boolean,
): AdamArgs {
  const { betas, eps, weightDecay } = adam ?? options;
  const [beta1, beta2] = betas;
  return {
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
    l2: decoupled ? 0 : weightDecay,
    keep: decoupled ? 1 - lr * weightDecay : 1,
    decoupled,
  };
}

export class Adam implements Optimizer {
  /** AdamW's decay? */
  protected readonly decoupled: boolean = false;
  #steps = 0;

  protected constructor(
    private readonly device: Device,
    readonly parameters: State,
    readonly gradients: State,
    private readonly firstMoments: State,
    private readonly secondMoments: State,
    private readonly kernel: Kernel<AdamArgs, OptimizerStep>,
    private readonly options: AdamOptions,
  ) {}

  /** Creates an optimizer with zero moments; it takes three times the parameters' memory. @param gradients its own if not given */
  static async create(device: Device, parameters: State, options: AdamOptions, gradients?: State): Promise<Adam> {
    const zeros = () => device.createZeros(shapesOf(parameters));
    const kernel = await device.loadKernel<AdamArgs, OptimizerStep>({
      module: new URL('./adam-kernel.js', import.meta.url),
      name: 'adamStep',
      graph: adamGraph,
      run: options.run,
    });
    return new this(device, parameters, gradients ?? (await zeros()), await zeros(), await zeros(), kernel, options);
  }

  get steps(): number {
    return this.#steps;
  }

  async step(options: StepOptions): Promise<OptimizerStep> {
    const result = await this.kernel.call({
      states: { p: this.parameters, g: this.gradients, m: this.firstMoments, v: this.secondMoments },
      args: adamArgs(options, this.options, this.#steps + 1, this.decoupled),
    });
    if (Number.isFinite(result.gradientNorm)) this.#steps++;
    return result;
  }

  async save(path: string, notes?: OptimizerNotes): Promise<void> {
    await saveStates(this.device, path, this.#moments(), { steps: this.#steps, notes });
  }

  async restore(path: string): Promise<OptimizerNotes> {
    const { steps, notes } = await restoreStates(this.device, path, this.#moments());
    this.#steps = steps;
    return notes;
  }

  async release(): Promise<void> {
    for (const state of [this.gradients, this.firstMoments, this.secondMoments]) await this.device.release(state);
  }

  #moments() {
    return { 'first_moment.': this.firstMoments, 'second_moment.': this.secondMoments };
  }
}

/** Adam with decoupled weight decay. */
export class AdamW extends Adam {
  protected override readonly decoupled = true;
}
