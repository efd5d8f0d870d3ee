// The optimizers that a config may name.
import type { Device, State } from '@bowyer/graph';
import { Adam, AdamW, type AdamOptions } from './adam.js';
import { AdamW8bit } from './adamw-8bit.js';
import { LossScaledOptimizer } from './loss-scaling.js';
import type { Optimizer } from './optimizer.js';
import { Sgd, type SgdOptions } from './sgd.js';

export type OptimizerOptions =
  (AdamOptions & { kind: 'adam' | 'adamw' | 'adamw_8bit' }) | (SgdOptions & { kind: 'sgd' });

/** An optimizer that has taken no step yet; it scales the loss if gradients are computed in float16. */
export async function createOptimizer(
  device: Device,
  parameters: State,
  options: OptimizerOptions,
): Promise<Optimizer> {
  const optimizer = await createPlainOptimizer(device, parameters, options);
  return device.precision === 'float16' ? new LossScaledOptimizer(optimizer) : optimizer;
}

function createPlainOptimizer(device: Device, parameters: State, options: OptimizerOptions): Promise<Optimizer> {
  switch (options.kind) {
    case 'adam':
      return Adam.create(device, parameters, options);
    case 'adamw':
      return AdamW.create(device, parameters, options);
    case 'adamw_8bit':
      return AdamW8bit.create(device, parameters, options);
    case 'sgd':
      return Sgd.create(device, parameters, options);
  }
}
