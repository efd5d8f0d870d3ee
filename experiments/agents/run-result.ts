import type { Difference } from './paired.js';

/** The contents of a run's result.json. */
export interface RunResult {
  agent: string;
  /** Whether the agent's start can become better. */
  hasRoom: boolean;
  seed: number;
  variant: string;
  settings: Record<string, unknown>;
  /** Mean rewards on the judging tasks: of the start, of the model that `trainAgent` has returned, and of the last policy. */
  start: number;
  handedOut: number;
  last: number;
  /** The difference between what was handed out and the start. */
  difference: Difference;
  lastDifference: Difference;
  /** The run's own verdict; null where it has none. */
  verdict: 'improved' | 'equal' | 'worse' | null;
  iterations: number;
}
