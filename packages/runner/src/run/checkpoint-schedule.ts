// Decides when a checkpoint is due: by the clock, by epochs, or on a request from outside the run.
import type { RunControl } from './run-control.js';

const MS_PER_MINUTE = 60_000;

export interface ScheduleKeys {
  /** Minutes between checkpoints; null for none by the clock. */
  saveMinutes: number | null;
  /** The number of epochs between checkpoints, for work that counts in epochs; null or absent for none by epochs. */
  saveEpochs?: { between: number | null; all: number };
}

export class CheckpointSchedule {
  /** The steps of the current phase. */
  #steps = { done: 0, total: 0 };
  #savedAt = performance.now();

  /** @param control requests from outside; absent on ranks above 0 */
  constructor(
    private readonly keys: ScheduleKeys,
    private readonly control?: RunControl,
  ) {}

  stepped(done: number, total: number): void {
    this.#steps = { done, total };
  }

  get isDue(): boolean {
    const { saveMinutes } = this.keys;
    const isTime = saveMinutes !== null && performance.now() - this.#savedAt >= saveMinutes * MS_PER_MINUTE;
    return isTime || this.#isEpochDue || this.control?.checkpointAsked === true;
  }

  saved(): void {
    this.#savedAt = performance.now();
    if (this.control) this.control.checkpointAsked = false;
  }

  get #isEpochDue(): boolean {
    const { between = null, all = 1 } = this.keys.saveEpochs ?? {};
    const { done, total } = this.#steps;
    return between !== null && done > 0 && done % Math.max(1, Math.round((between * total) / all)) === 0;
  }
}
