// The opening of an agent reports to the log of its run, and shows slow work in progress bars.

export type Log = (message: string, level?: 'INFO' | 'WARNING') => void;

/** The progress of slow work. */
export interface Bar {
  /** Notes the work that was done before this process started. */
  startAt(done: number): void;
  /**
   * Shows how far the work is.
   *
   * @param note shown beside it; the last one if not given
   */
  update(done: number, note?: string): void;
  finish(): void;
}

/** The part of a run's context that the opening of an agent needs. */
export interface Reporting {
  log: Log;
  openBar(label: string, total: number): Bar;
}

/** Registers what to do when the user asks to stop, and what is logged then; null: the process ends immediately, as it does at first. */
export type OnInterrupt = (stop: (() => void) | null, announcement?: string) => void;
