// Scales losses for float16 gradients: the loss is multiplied by a large number before the backward pass, so that small gradients do not
// become 0, and the optimizer divides by it before clipping.
//
//     a step with an infinite or NaN gradient: skipped, scale ← scale / 2
//     2,000 good steps in a row: scale ← 2 · scale
//
// Source: Micikevicius et al. 2018, arXiv:1710.03740, section 3.2; numbers as in PyTorch's GradScaler. The step's norm shows whether
// the gradients are finite, so no further value is read from the device.
import type { Optimizer, OptimizerNotes, StepOptions } from './optimizer.js';
import type { OptimizerStep } from './gradient-clip.js';

const START = 2 ** 16;
const GROWTH_INTERVAL = 2000;

/** The least scale of the loss. If gradients are not finite even at it, an overflow by the scale is not the reason. */
const SMALLEST = 2 ** -14;

const SCALE_NOTE = 'loss_scale';
const GOOD_STEPS_NOTE = 'loss_scale_good_steps';

/** Takes the steps of another optimizer on gradients of the scaled loss, and adapts the scale. */
export class LossScaledOptimizer implements Optimizer {
  #scale = START;
  #goodSteps = 0;

  constructor(private readonly inner: Optimizer) {}

  get parameters() {
    return this.inner.parameters;
  }

  get gradients() {
    return this.inner.gradients;
  }

  get steps(): number {
    return this.inner.steps;
  }

  get lossScale(): number {
    return this.#scale;
  }

  /** Takes the inner optimizer's step; a skipped step has norm 0 and clip coefficient 0. */
  async step(options: StepOptions): Promise<OptimizerStep> {
    const { gradientScale = 1 } = options;
    const result = await this.inner.step({ ...options, gradientScale: gradientScale / this.#scale });
    if (Number.isFinite(result.gradientNorm)) {
      this.#goodSteps++;
      if (this.#goodSteps === GROWTH_INTERVAL) this.#become(2 * this.#scale);
      return result;
    }
    this.#become(this.#scale / 2);
    return this.#scale < SMALLEST ? result : { gradientNorm: 0, clipCoefficient: 0 };
  }

  async save(path: string, notes: OptimizerNotes = {}): Promise<void> {
    const own = { [SCALE_NOTE]: String(this.#scale), [GOOD_STEPS_NOTE]: String(this.#goodSteps) };
    await this.inner.save(path, { ...notes, ...own });
  }

  /** Restores the optimizer's state and the scale. The file of a run in float32 has no scale; then the initial one is used. */
  async restore(path: string): Promise<OptimizerNotes> {
    const notes = await this.inner.restore(path);
    this.#scale = Number(notes[SCALE_NOTE] ?? START);
    this.#goodSteps = Number(notes[GOOD_STEPS_NOTE] ?? 0);
    return notes;
  }

  async release(): Promise<void> {
    await this.inner.release();
  }

  #become(scale: number): void {
    this.#scale = scale;
    this.#goodSteps = 0;
  }
}
