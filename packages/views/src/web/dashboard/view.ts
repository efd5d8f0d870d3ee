import type { RunSummary } from '../../data.js';

/** The content of the page below its head. */
export interface View {
  element: HTMLElement;
  /** Called with every new list of runs. */
  onRuns(runs: readonly RunSummary[]): void;
}

/** Behind the hash of the page's address. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
