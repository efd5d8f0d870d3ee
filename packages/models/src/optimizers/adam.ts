// Makes the optimizers Adam and AdamW over a state of parameters; adam-kernel.ts and adam-graph.ts compute their steps.
import { adamGraph } from './adam-graph.js';
import type { AdamArgs } from './adam-kernel.js';
import { KernelOptimizer, type Optimized } from './kernel-optimizer.js';
import type { AdamSettings, Optimizer, StepOptions } from './optimizer.js';
import { shapesOf } from './optimizer-state.js';

export const ADAM_PREFIXES = { m: 'first_moment.', v: 'second_moment.' };

export interface AdamOptions extends AdamSettings {
  /** Overrides the device's choice between the kernel in its worker thread and the graph, so that a test can compare them. */
  run?: 'host' | 'graph';
}

/** Computes the scalars of one Adam step (learning rate, decay, bias corrections) from its options. @param step counted from 1 */
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

/** Creates Adam, or AdamW if `decoupled`, with zero moments; it needs three times the parameters' memory. */
export async function createAdam(states: Optimized, options: AdamOptions, decoupled: boolean): Promise<Optimizer> {
  const zeros = () => states.device.createZeros(shapesOf(states.parameters));
  return KernelOptimizer.create<AdamArgs>({
    ...states,
    moments: { m: await zeros(), v: await zeros() },
    prefixes: ADAM_PREFIXES,
    kernel: {
      module: new URL('./adam-kernel.js', import.meta.url),
      name: 'adamStep',
      graph: adamGraph,
      run: options.run,
    },
    argsOf: (given, step) => adamArgs(given, options, step, decoupled),
  });
}
