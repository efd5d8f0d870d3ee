// Estimates the duration of a training from its first two optimizer steps. The first step alone is not enough, since it also
// compiles the graphs.
import type { TaskContext } from '../../context/task-context.js';

export class TimeEstimate {
  #steps = 0;
  #steppedAt = NaN;
  #validationSeconds = 0;

  constructor(
    private readonly epochs: number,
    private readonly log: TaskContext['log'],
    private readonly clock: () => number = () => performance.now() / 1000,
  ) {}

  /** Records how long one validation has taken, since the training will validate again. */
  validation(seconds: number): void {
    this.#validationSeconds = seconds;
  }

  /**
   * Logs the estimate after the second step.
   *
   * @param done the number of finished steps, including those before the run was resumed
   */
  step(done: number, total: number): void {
    const now = this.clock();
    if (++this.#steps === 2 && done < total) {
      const perStep = now - this.#steppedAt;
      const validations = Math.ceil(this.epochs * (1 - done / total));
      const left = perStep * (total - done) + this.#validationSeconds * validations;
      this.log(
        `time: about ${inWords(left)} for optimizer steps ${done + 1} to ${total} (${inSeconds(perStep)} each) and validation`,
      );
    }
    this.#steppedAt = now;
  }
}

function inWords(seconds: number): string {
  const [value, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  const count = unit === 'hour' ? Number(value.toFixed(1)) : Math.max(1, Math.round(value));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const inSeconds = (seconds: number): string => `${seconds < 10 ? seconds.toPrecision(2) : Math.round(seconds)} s`;
