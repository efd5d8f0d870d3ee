// Reports an episode that takes unusually many steps, and throws an error for one that never ends.
import { reportWait } from '@bowyer/core';

/** The number of steps at which an episode counts as endless, and an error is thrown. */
const ENDLESS = 100_000;
/** The number of steps at which a long episode is first reported. Further reports follow at twice, four times … as many steps. */
const LONG = 1_000;

/** Reports a long episode, and throws for an endless one. @param place the environment and the step, for messages */
export function refuseEndless(steps: number, place: () => string): void {
  if (steps < LONG) return;
  const remedy = 'play.max_turns=N cuts every episode after N turns';
  if (steps >= ENDLESS) throw new Error(`${place()}: the episode does not end\n  ${remedy}`);
  if (Number.isInteger(Math.log2(steps / LONG))) reportWait(`${place()}: the episode has not ended yet; ${remedy}`);
}
