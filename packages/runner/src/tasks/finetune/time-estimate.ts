// Estimates how long a training takes, from its first two steps: the first one also compiles the graphs.
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

  /** Notes how long one validation took. */
  validation(seconds: number): void {
    this.#validationSeconds = seconds;
  }

  /**
   * Notes the end of a step, and logs the estimate after the second.
   *
   * @param done the number of finished steps, those before a resume included
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
