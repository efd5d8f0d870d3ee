// Random numbers that restart at each optimizer step, so that a run resumed from a checkpoint drops the same
// elements as one that was never stopped, and no generator state needs to be saved.
import { Rng } from '@bowyer/core';

export class StepRng {
  #rng?: Rng;
  #step = -1;

  /**
   * @param step number of optimizer steps taken so far
   * @param purpose what the numbers are for: each purpose has a stream of its own
   */
  constructor(
    private readonly seed: number,
    private readonly step: () => number,
    private readonly purpose = 'lora dropout',
  ) {}

  integer(low: number, high: number): number {
    const step = this.step();
    if (!this.#rng || step !== this.#step) this.#rng = Rng.forPurpose(this.seed, `${this.purpose} of step ${step}`);
    this.#step = step;
    return this.#rng.integer(low, high);
  }
}
