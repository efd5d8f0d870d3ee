// Shows the agent's returns during the training.
import type { Point } from './agent.js';

const rewards: number[] = [];

/** Adds a point to the curve. */
export function show({ iteration, reward }: Point): void {
  rewards.push(reward);
  const place = (value: number, i: number): string => `${i * 8},${60 - value * 60}`;
  document.querySelector('polyline')!.setAttribute('points', rewards.map(place).join(' '));
  document.querySelector('output')!.textContent = `iteration ${iteration}: return ${reward.toFixed(2)}`;
}

/** Shows the trained agent's guesses. */
export const showAgent = ([first, afterLower, afterHigher]: string[]): void => {
  document.querySelector('output')!.textContent =
    `It begins with ${first}, says ${afterLower} after "lower", and ${afterHigher} after "higher" to that.`;
};
