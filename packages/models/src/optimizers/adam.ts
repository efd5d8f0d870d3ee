// Adam and AdamW over a state of parameters. The computation is in adam-kernel.ts.
import type { Device, State } from '@bowyer/graph';
import { adamGraph } from './adam-graph.js';
import type { AdamArgs } from './adam-kernel.js';
import type { OptimizerStep } from './gradient-clip.js';
import { KernelOptimizer, type OptimizerParts } from './kernel-optimizer.js';
import type { AdamSettings, StepOptions } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

export const ADAM_PREFIXES = { m: 'first_moment.', v: 'second_moment.' };

export interface AdamOptions extends AdamSettings {
  /** Overrides the device's choice between the kernel in its worker thread and the graph, so that a test can compare them. */
  run?: 'host' | 'graph';
}

/**
 * Returns the numbers of one step.
 *
 * @param step counted from 1
 */
export function adamArgs(
  { lr, maxGradNorm, gradientScale = 1, othersNorm = 0, adam }: StepOptions,
  options: AdamOptions,
  step: number,
  decoupled: boolean,
): AdamArgs {
  const { betas, eps, weightDecay } = adam ?? options;
  const [beta1, beta2] = betas;
  return {
    maxGradNorm,
    gradientScale,
    othersNorm,
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

export class Adam extends KernelOptimizer<AdamArgs> {
  /** Whether weight decay is decoupled (AdamW). */
  protected readonly decoupled: boolean = false;

  protected constructor(
    parts: OptimizerParts<AdamArgs>,
    private readonly options: AdamOptions,
  ) {
    super(parts);
  }

  /**
   * Creates an optimizer with zero moments; it needs three times the parameters' memory.
   *
   * @param given the state in which gradients are summed; created if not given
   */
  static async create(device: Device, parameters: State, options: AdamOptions, given?: State): Promise<Adam> {
    const zeros = () => device.createZeros(shapesOf(parameters));
    const kernel = await device.loadKernel<AdamArgs, OptimizerStep>({
      module: new URL('./adam-kernel.js', import.meta.url),
      name: 'adamStep',
      graph: adamGraph,
      run: options.run,
    });
    const gradients = given ?? (await zeros());
    const moments = { m: await zeros(), v: await zeros() };
    return new this({ device, parameters, gradients, moments, prefixes: ADAM_PREFIXES, kernel }, options);
  }

  protected argsOf(options: StepOptions, step: number): AdamArgs {
    return adamArgs(options, this.options, step, this.decoupled);
  }
}

/** Adam with decoupled weight decay. */
export class AdamW extends Adam {
  protected override readonly decoupled = true;
}
