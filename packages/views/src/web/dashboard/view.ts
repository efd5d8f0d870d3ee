import type { RunSummary } from '../../data.js';

/** A view of the dashboard, such as the list of runs: the content of the page below its header. */
export interface View {
  element: HTMLElement;
  onRuns(runs: readonly RunSummary[]): void;
}

/** Returns the fragment of the dashboard's address that shows a run. */
export const runAddress = (id: string): string => `run/${encodeURIComponent(id)}`;
