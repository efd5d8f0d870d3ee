// Expert episodes in households of our own, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { Alfworld, type AlfworldOptions } from './alfworld.js';

export interface AlfworldDemonstrationOptions extends AlfworldOptions {
  episodes: number;
  /** Household i has the seed firstSeed + i. */
  firstSeed: number;
}

/** Won episodes only: a search that the step limit cut is not worth imitating. */
export async function alfworldDemonstrations(options: AlfworldDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, ...envOptions } = options;
  const env = new Alfworld(envOptions);
  const demonstrations: Transition[][] = [];
  for (let i = 0; i < episodes; i++) {
    let { observation } = await env.reset({ seed: firstSeed + i });
    const { commands, won } = env.expertPath(firstSeed + i);
    if (!won) continue;
    const transitions: Transition[] = [];
    for (const action of commands) {
      const { observation: nextObservation, reward, terminated, truncated } = await env.step(action);
      transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
      observation = nextObservation;
    }
    demonstrations.push(transitions);
  }
  await env.close();
  return demonstrations;
}
