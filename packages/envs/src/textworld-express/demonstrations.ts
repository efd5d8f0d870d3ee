// Plays expert episodes of the TextWorldExpress games, so that a policy can be trained on demonstrations without a download.
import type { InformedTransition } from '@bowyer/core';
import type { TextWorldExpressGame } from './descriptions.js';
import { EpisodeRecorder, Slips } from '../played-demonstrations.js';
import { foldSeeds, type Fold } from './parameters.js';
import { TextWorldExpress, type TextWorldExpressReset } from './textworld-express.js';

interface TextWorldExpressDemonstrationOptions {
  episodes: number;
  fold: Fold;
  params: string;
  stepLimit: number;
  contentDir: string | null;
  showValidActions: boolean;
  /** The difference between the seeds of successive episodes' worlds. The first world has the fold's first seed. */
  seedStep: number;
  /** The probability of a deliberate mistake (an action without effect, which policies do not imitate) before a turn. */
  slips: number;
  slipSeed: number;
}

interface TextWorldExpressDemonstration {
  seed: number;
  won: boolean;
  transitions: InformedTransition[];
}

/**
 * Plays the gold path (the expert's actions) of each world. Actions without effect, such as opening an open cupboard, are
 * skipped. Episodes that the turn limit truncates are left out.
 *
 * @param worldOf returns the options of `reset` that select the world of a seed
 */
export async function textWorldExpressDemonstrations(
  game: TextWorldExpressGame,
  options: TextWorldExpressDemonstrationOptions,
  worldOf: (seed: number) => TextWorldExpressReset = (seed) => ({ seed }),
): Promise<TextWorldExpressDemonstration[]> {
  const { episodes, seedStep, slips: share, slipSeed, ...envOptions } = options;
  const slips = new Slips(share, slipSeed);
  const env = new TextWorldExpress(game, envOptions);
  const demonstrations: TextWorldExpressDemonstration[] = [];
  try {
    for (let i = 0; i < episodes; i++) {
      const demonstration = await playExpert(env, slips, worldOf(foldSeeds[options.fold] + i * seedStep));
      if (demonstration.won) demonstrations.push(demonstration);
    }
  } finally {
    await env.close();
  }
  return demonstrations;
}

async function playExpert(
  env: TextWorldExpress,
  slips: Slips,
  world: TextWorldExpressReset,
): Promise<TextWorldExpressDemonstration> {
  const episode = await EpisodeRecorder.begin(env, world);
  for (const action of await env.goldPath()) {
    const validActions = episode.info.validActions as readonly string[];
    if (episode.ended || !validActions.includes(action)) continue;
    const slip = slips.before(action, validActions);
    if (slip !== null) await episode.play(slip, true);
    await episode.play(action);
  }
  return { seed: world.seed!, won: episode.info.won === true, transitions: episode.transitions };
}
