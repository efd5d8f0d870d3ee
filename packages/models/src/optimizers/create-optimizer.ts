// Creates the optimizer that an experiment's config names.
import type { Device, State } from '@bowyer/graph';
import { createAdam, type AdamOptions } from './adam.js';
import { createAdamW8bit } from './adamw-8bit.js';
import { ReplicatedOptimizer, ShardedOptimizer } from './data-parallel.js';
import type { Optimized } from './kernel-optimizer.js';
import { LossScaledOptimizer } from './loss-scaling.js';
import { createMuon, type MuonOptions } from './muon.js';
import type { Optimizer } from './optimizer.js';
import { createSgd, type SgdOptions } from './sgd.js';

export type OptimizerOptions =
  | (AdamOptions & { kind: 'adam' | 'adamw' | 'adamw_8bit' })
  | (SgdOptions & { kind: 'sgd' })
  | (MuonOptions & { kind: 'muon' });

/**
 * Creates an optimizer at step 0. It scales the loss if gradients are computed in float16; if several ranks train together, it steps
 * on the sum of their gradients.
 *
 * @param matrices names of the parameters that are weights of linear layers [out, in], whose updates Muon orthogonalizes
 */
export async function createOptimizer(
  device: Device,
  parameters: State,
  options: OptimizerOptions,
  matrices: readonly string[] = [],
): Promise<Optimizer> {
  const optimizer = await createForRanks(device, parameters, options, new Set(matrices));
  return device.precision === 'float16' ? new LossScaledOptimizer(optimizer) : optimizer;
}

/** Creates an optimizer without loss scaling; if several ranks train together, it steps on the sum of their gradients. */
async function createForRanks(
  device: Device,
  parameters: State,
  options: OptimizerOptions,
  matrices: ReadonlySet<string>,
): Promise<Optimizer> {
  if (device.ranks.size === 1) return createPlainOptimizer({ device, parameters }, options, matrices);
  if (!device.shardsOptimizers)
    return ReplicatedOptimizer.create(device, await createPlainOptimizer({ device, parameters }, options, matrices));
  return ShardedOptimizer.create(device, parameters, (own, gradients) =>
    createPlainOptimizer({ device, parameters: own, gradients }, options, matrices),
  );
}

function createPlainOptimizer(
  states: Optimized,
  options: OptimizerOptions,
  matrices: ReadonlySet<string>,
): Promise<Optimizer> {
  switch (options.kind) {
    case 'adam':
    case 'adamw':
      return createAdam(states, options, options.kind === 'adamw');
    case 'adamw_8bit':
      return createAdamW8bit(states, options);
    case 'sgd':
      return createSgd(states, options);
    case 'muon':
      return createMuon(states, options, matrices);
  }
}
