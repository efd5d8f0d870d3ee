// Decides when a run writes a checkpoint: after some minutes, after some epochs, or when another process such as the dashboard
// requests it.
import type { RunControl } from './run-control.js';

const MS_PER_MINUTE = 60_000;

export interface ScheduleKeys {
  /** Null if the time decides nothing. */
  saveMinutes: number | null;
  /**
   * The number of epochs between checkpoints (`between`; null: epochs decide nothing) and of all epochs, for runs whose length is
   * counted in epochs.
   */
  saveEpochs?: { between: number | null; all: number };
}

export class CheckpointSchedule {
  /** The numbers of finished and of all steps in the current phase of training. */
  #steps = { done: 0, total: 0 };
  #savedAt = performance.now();

  /** @param control receives requests from other processes; absent on ranks above 0 */
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
