import type { RunSummary } from '../../data.js';

/** The content of the page below its head. */
export interface View {
  element: HTMLElement;
  /** Tells the view of every new list of runs. */
  onRuns(runs: readonly RunSummary[]): void;
}

/** Returns the address of a run, the part behind the hash of the page's address. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
