// Reports long episodes, and throws for one that never ends.
import { reportWait } from '@bowyer/core';

/** The number of steps after which an episode counts as endless. */
const ENDLESS = 100_000;
/** The number of steps before the first report. Each later report comes after twice as many. */
const LONG = 1_000;

/** Reports a long episode, and throws for an endless one. @param place the environment and the step, for messages */
export function refuseEndless(steps: number, place: () => string): void {
  if (steps < LONG) return;
  const remedy = 'play.max_turns=N cuts every episode after N turns';
  if (steps >= ENDLESS) throw new Error(`${place()}: the episode does not end\n  ${remedy}`);
  if (Number.isInteger(Math.log2(steps / LONG))) reportWait(`${place()}: the episode has not ended yet; ${remedy}`);
}
