// Makes the optimizer of stochastic gradient descent with momentum, as torch.optim.SGD; sgd-kernel.ts has its step.
import { KernelOptimizer, type Optimized } from './kernel-optimizer.js';
import { sgdGraph } from './sgd-graph.js';
import type { SgdArgs } from './sgd-kernel.js';
import { momentumShares, refuseAdamSettings, type Optimizer } from './optimizer.js';
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

/** Creates an optimizer with zero momentum; it needs twice the parameters' memory, or as much as the parameters without momentum. */
export async function createSgd(states: Optimized, options: SgdOptions): Promise<Optimizer> {
  const { momentum, nesterov, weightDecay } = options;
  if (nesterov && momentum === 0) throw new RangeError('Sgd: nesterov needs a momentum above 0, such as 0.9');
  return KernelOptimizer.create<SgdArgs>({
    ...states,
    moments: { b: await states.device.createZeros(momentum === 0 ? {} : shapesOf(states.parameters)) },
    prefixes: { b: 'momentum.' },
    kernel: { module: new URL('./sgd-kernel.js', import.meta.url), name: 'sgdStep', graph: sgdGraph, run: options.run },
    argsOf: (given) => {
      refuseAdamSettings('sgd', given);
      const { lr, maxGradNorm, gradientScale = 1, othersNorm = 0 } = given;
      return { maxGradNorm, gradientScale, othersNorm, lr, momentum, l2: weightDecay, ...momentumShares(options) };
    },
  });
}
