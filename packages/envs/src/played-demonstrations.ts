// Episodes that an expert plays through an environment, for supervised warm starts without any download.
import { Rng, type Transition } from '@bowyer/core';
import type { Env } from './contract/env.js';

export interface PlayedDemonstrationOptions {
  episodes: number;
  /** Share of random turns, 0…1. */
  noise: number;
  seed: number;
}

/** A player of one environment: the expert's next action, and some action at all. Both read `info`, as people may. */
export interface Demonstrator {
  /** Told what the reset said of an episode. */
  begin?: (info: Record<string, unknown>) => void;
  best: (info: Record<string, unknown>, rng: Rng) => string;
  random: (info: Record<string, unknown>, rng: Rng) => string;
}

/** Plays and closes the environment; episode i has seed `i` of the stream that the seed opens. */
export async function playDemonstrations(
  env: Env,
  { begin, best, random }: Demonstrator,
  { episodes, noise, seed }: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const rng = Rng.forPurpose(seed, 'played demonstrations');
  const played: Transition[][] = [];
  try {
    for (let i = 0; i < episodes; i++) {
      let { observation, info } = await env.reset({ seed: rng.uint32() });
      begin?.(info);
      const transitions: Transition[] = [];
      for (let ended = false; !ended;) {
        const action = rng.uniform() < noise ? random(info, rng) : best(info, rng);
        const result = await env.step(action);
        const { observation: nextObservation, reward, terminated, truncated } = result;
        transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
        ended = terminated || truncated;
        [observation, info] = [nextObservation, result.info];
      }
      played.push(transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}

/** Environment i has the seed firstSeed + i. */
export interface WayDemonstrationOptions {
  episodes: number;
  firstSeed: number;
}

/** Carries out, action by action, what `way` finds after a reset, and closes the environment; episodes without a way are left out. */
export async function playWays(
  env: Env,
  way: (seed: number) => readonly string[] | null,
  { episodes, firstSeed }: WayDemonstrationOptions,
): Promise<Transition[][]> {
  const played: Transition[][] = [];
  try {
    for (let seed = firstSeed; seed < firstSeed + episodes; seed++) {
      let { observation } = await env.reset({ seed });
      const actions = way(seed);
      if (actions === null) continue;
      const transitions: Transition[] = [];
      for (const action of actions) {
        const { observation: nextObservation, reward, terminated, truncated } = await env.step(action);
        transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
        observation = nextObservation;
      }
      played.push(transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}
