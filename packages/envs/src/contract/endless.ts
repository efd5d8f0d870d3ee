// Episodes that do not end by themselves: they are reported as they grow, and at last they are a fault of their environment.
import { reportWait } from '@bowyer/core';

/** Turns of an episode after which it counts as endless. */
const ENDLESS = 10_000;
/** Turns of the first report; each further one comes after twice as many. */
const LONG = 1_000;

/** @param turns played so far @param episode as messages name it */
export function refuseEndless(turns: number, episode = 'an episode of the expert'): void {
  if (turns < LONG) return;
  const remedy = 'max_turns=N cuts every episode after N turns';
  if (turns >= ENDLESS) throw new Error(`${episode} did not end within ${ENDLESS} turns\n  ${remedy}`);
  if (Number.isInteger(Math.log2(turns / LONG)))
    reportWait(`${episode} has ${turns} turns and has not ended; ${remedy}`);
}
