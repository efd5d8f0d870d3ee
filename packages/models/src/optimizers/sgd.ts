// Stochastic gradient descent with momentum, as in torch.optim.SGD. The computation is in sgd-kernel.ts.
import type { Device, State } from '@bowyer/graph';
import type { OptimizerStep } from './gradient-clip.js';
import { KernelOptimizer, type OptimizerParts } from './kernel-optimizer.js';
import { sgdGraph } from './sgd-graph.js';
import type { SgdArgs } from './sgd-kernel.js';
import { refuseAdamSettings, type StepOptions } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

export interface SgdOptions {
  /** μ, the decay of the momentum buffer per step; 0: no momentum and no buffer. */
  momentum: number;
  /** Whether to use Nesterov momentum (Sutskever et al. 2013, in PyTorch's form). */
  nesterov: boolean;
  /** λ: λp is added to the gradient. */
  weightDecay: number;
  /** Overrides the device's choice between the kernel in its worker thread and the graph, so that a test can compare them. */
  run?: 'host' | 'graph';
}

export class Sgd extends KernelOptimizer<SgdArgs> {
  private constructor(
    parts: OptimizerParts<SgdArgs>,
    private readonly options: SgdOptions,
  ) {
    super(parts);
  }

  /**
   * Creates an optimizer with zero momentum; it needs twice the parameters' memory, or as much as the parameters without momentum.
   *
   * @param given the state in which gradients are summed; created if not given
   */
  static async create(device: Device, parameters: State, options: SgdOptions, given?: State): Promise<Sgd> {
    if (options.nesterov && options.momentum === 0)
      throw new RangeError('Sgd: nesterov needs a momentum above 0, such as 0.9');
    const shapes = shapesOf(parameters);
    const kernel = await device.loadKernel<SgdArgs, OptimizerStep>({
      module: new URL('./sgd-kernel.js', import.meta.url),
      name: 'sgdStep',
      graph: sgdGraph,
      run: options.run,
    });
    const gradients = given ?? (await device.createZeros(shapes));
    // Without momentum there are no buffers.
    const moments = { b: await device.createZeros(options.momentum === 0 ? {} : shapes) };
    return new Sgd({ device, parameters, gradients, moments, prefixes: { b: 'momentum.' }, kernel }, options);
  }

  protected argsOf(step: StepOptions): SgdArgs {
    refuseAdamSettings('sgd', step);
    const { lr, maxGradNorm, gradientScale = 1, othersNorm = 0 } = step;
    const { momentum, nesterov, weightDecay } = this.options;
    const shares = nesterov ? { gradientShare: 1, bufferShare: momentum } : { gradientShare: 0, bufferShare: 1 };
    return { maxGradNorm, gradientScale, othersNorm, lr, momentum, l2: weightDecay, ...shares };
  }
}
