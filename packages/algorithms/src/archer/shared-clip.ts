// Clips gradients by a global norm that may include those of an agent's other networks.
import type { Optimizer } from '@bowyer/models';

/**
 * The networks whose gradients are in the norm by which a gradient is clipped. `all`: also the agent's other networks, with the
 * gradients of their last steps, as in ArCHer's code.
 */
type ClipScope = 'own' | 'all';

/**
 * Takes optimizer steps of an agent's networks, with their gradients clipped by a common norm.
 *
 * ArCHer's code does not zero the gradients of the network that is not being stepped, so the norm includes that network's last
 * gradients, which every clip scales down again. This class keeps their norm instead of the gradients.
 */
export class SharedClip {
  /** @param leftover norm of each network's last clipped gradient; it is changed in place, and is part of a checkpoint */
  constructor(
    private readonly scope: ClipScope,
    private readonly leftover: Record<string, number> = {},
  ) {}

  /** Returns the gradient's norm before the clip. `microBatches`: the number of gradients that were added. */
  async step(
    network: string,
    optimizer: Optimizer,
    lr: number,
    microBatches: number,
    { maxGradNorm, reduction }: { maxGradNorm: number; reduction: 'sum' | 'mean' },
  ): Promise<number> {
    const othersNorm =
      this.scope === 'all' ? this.#others(network).reduce((norm, other) => Math.hypot(norm, other), 0) : 0;
    const { gradientNorm, clipCoefficient } = await optimizer.step({
      lr,
      maxGradNorm,
      gradientScale: reduction === 'mean' ? 1 / microBatches : 1,
      othersNorm,
    });
    for (const name of Object.keys(this.leftover)) this.leftover[name] *= clipCoefficient;
    this.leftover[network] = gradientNorm * clipCoefficient;
    return gradientNorm;
  }

  #others(network: string): number[] {
    return Object.entries(this.leftover).flatMap(([name, norm]) => (name === network ? [] : [norm]));
  }
}
