import type { RunSummary } from '../../data.js';

/** The content of the page below its head. */
export interface View {
  element: HTMLElement;
  /** Passes every new list of runs to the view. */
  onRuns(runs: readonly RunSummary[]): void;
}

/** Returns the address of a run, the part behind the hash of the page's address. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
