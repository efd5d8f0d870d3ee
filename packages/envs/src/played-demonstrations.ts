// Episodes that an expert plays through an environment, for supervised warm starts without any download.
import { demonstrationSetOf, recordOf, Rng, type DemonstrationSet, type InformedTransition } from '@bowyer/core';
import { contextParts } from './context/context-options.js';
import type { Env } from './contract/env.js';
import type { DemonstrationRequest } from './unit.js';

/** What a run may choose of an expert that plays through the environment, step by step. */
export interface ExpertNoise {
  /** Share of random turns, 0…1. */
  noise: number;
}

export const expertNoiseSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    noise: {
      description: "Share of the expert's turns that are random.",
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.5,
    },
  },
} as const;

export interface PlayedDemonstrationOptions extends ExpertNoise {
  episodes: number;
  seed: number;
}

/** A run's request, as an expert that plays step by step takes it. */
export const playedOptions = ({
  count: episodes,
  noise,
  seed,
}: DemonstrationRequest & ExpertNoise): PlayedDemonstrationOptions => ({ episodes, noise, seed });

/** What a context may show of the turns after the first (a task stays the same), and whether the episode was won. */
const keptOfSteps = [...contextParts.filter((part) => part !== 'taskDescription'), 'won'];

/** Stored as JSONL, one episode a line, with what a context may show beside the observations, and `won`. */
export const playedSet = (episodes: readonly (readonly InformedTransition[])[]): DemonstrationSet =>
  demonstrationSetOf(episodes.map((turns) => recordOf(turns, { reset: contextParts, step: keptOfSteps })));

/** A player of one environment: the expert's next action, and some action at all. Both read `info`, as people may. */
export interface Demonstrator {
  /** Called with the `info` of each reset. */
  begin?: (info: Record<string, unknown>) => void;
  best: (info: Record<string, unknown>, rng: Rng) => string;
  random: (info: Record<string, unknown>, rng: Rng) => string;
}

/** Plays and closes the environment; episode i has seed `i` of the stream that the seed opens. */
export async function playDemonstrations(
  env: Env,
  { begin, best, random }: Demonstrator,
  { episodes, noise, seed }: PlayedDemonstrationOptions,
): Promise<InformedTransition[][]> {
  const rng = Rng.forPurpose(seed, 'played demonstrations');
  const played: InformedTransition[][] = [];
  try {
    for (let i = 0; i < episodes; i++) {
      let { observation, info } = await env.reset({ seed: rng.uint32() });
      begin?.(info);
      const transitions: InformedTransition[] = [];
      for (let ended = false; !ended;) {
        const action = rng.uniform() < noise ? random(info, rng) : best(info, rng);
        const result = await env.step(action);
        const { observation: nextObservation, reward, terminated, truncated } = result;
        const nextInfo = result.info;
        transitions.push({ observation, info, action, reward, nextObservation, nextInfo, terminated, truncated });
        ended = terminated || truncated;
        [observation, info] = [nextObservation, nextInfo];
      }
      played.push(transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}

/** Episode i has the seed firstSeed + i. */
export interface PlannedDemonstrationOptions {
  episodes: number;
  firstSeed: number;
}

/** A run's request, as an expert that plans whole episodes takes it. The seeds are far from those that runs play. */
export const plannedOptions = ({ count: episodes, seed }: DemonstrationRequest): PlannedDemonstrationOptions => ({
  episodes,
  firstSeed: 1_000_000 + seed * 100_003,
});

/** Plays the actions that `plan` returns after each reset, and closes the environment; episodes without a plan are left out. */
export async function playPlans(
  env: Env,
  plan: (seed: number) => readonly string[] | null,
  { episodes, firstSeed }: PlannedDemonstrationOptions,
): Promise<InformedTransition[][]> {
  const played: InformedTransition[][] = [];
  try {
    for (let seed = firstSeed; seed < firstSeed + episodes; seed++) {
      let { observation, info } = await env.reset({ seed });
      const actions = plan(seed);
      if (actions === null) continue;
      const transitions: InformedTransition[] = [];
      for (const action of actions) {
        const { observation: nextObservation, info: nextInfo, reward, terminated, truncated } = await env.step(action);
        transitions.push({ observation, info, action, reward, nextObservation, nextInfo, terminated, truncated });
        [observation, info] = [nextObservation, nextInfo];
      }
      played.push(transitions);
    }
  } finally {
    await env.close();
  }
  return played;
}
