// Draws random numbers from a generator that is seeded again at each optimizer step, so that a resumed run has the same dropout
// masks as an uninterrupted one, and checkpoints need not save the generator's state.
import { Rng } from '@bowyer/core';

export class StepRng {
  #rng?: Rng;
  #step = -1;

  /** @param purpose the name of the stream of numbers; `step` returns the number of optimizer steps so far */
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
