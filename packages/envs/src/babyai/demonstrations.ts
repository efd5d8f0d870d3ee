// Expert episodes of BabyAI's worlds, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import { BabyAi, type BabyAiOptions } from './babyai.js';

export interface BabyAiDemonstrationOptions extends BabyAiOptions {
  episodes: number;
  /** World i has the seed firstSeed + i. */
  firstSeed: number;
}

/** Finished episodes only: a way that the step limit cut is not worth imitating. */
export async function babyAiDemonstrations(options: BabyAiDemonstrationOptions): Promise<Transition[][]> {
  const { episodes, firstSeed, ...envOptions } = options;
  const env = new BabyAi(envOptions);
  const demonstrations: Transition[][] = [];
  for (let i = 0; i < episodes; i++) {
    let { observation } = await env.reset({ seed: firstSeed + i });
    const actions = env.expertPath();
    if (actions.length > options.stepLimit) continue;
    const transitions: Transition[] = [];
    for (const action of actions) {
      const { observation: nextObservation, reward, terminated, truncated } = await env.step(action);
      transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
      observation = nextObservation;
    }
    demonstrations.push(transitions);
  }
  await env.close();
  return demonstrations;
}
