import type { RunSummary } from '../../data.js';

/** The content of the page below its header. */
export interface View {
  element: HTMLElement;
  /** Passes every new list of runs to the view. */
  onRuns(runs: readonly RunSummary[]): void;
}

/** Returns the fragment of the address that shows a run. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
