import type { RunSummary } from '../../data.js';

/** The content of the page below its header. */
export interface View {
  element: HTMLElement;
  onRuns(runs: readonly RunSummary[]): void;
}

/** Returns the fragment of the address that shows a run. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
