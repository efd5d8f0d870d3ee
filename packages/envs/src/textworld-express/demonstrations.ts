// Expert episodes of the TextWorldExpress games, for supervised warm starts without any download.
import type { InformedTransition } from '@bowyer/core';
import type { TextWorldExpressGame } from './descriptions.js';
import { expertSlipsSchema, Slips } from '../played-demonstrations.js';
import { foldSeeds, type Fold } from './parameters.js';
import { TextWorldExpress, type TextWorldExpressReset } from './textworld-express.js';

export interface TextWorldExpressDemonstrationOptions {
  episodes: number;
  fold: Fold;
  params: string;
  stepLimit: number;
  contentDir: string | null;
  showValidActions: boolean;
  seedStep: number;
  onlyWon: boolean;
  /** Chance before each turn of an action that has no effect and is not imitated; and the seed of these. */
  slips: number;
  slipSeed: number;
}

export const textWorldExpressDemonstrationsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    episodes: { description: 'Worlds that the expert plays.', type: 'integer', minimum: 1, default: 900 },
    fold: {
      description: 'Content in play, as in the environment.',
      type: 'string',
      enum: ['train', 'dev', 'test'],
      default: 'train',
    },
    params: { description: "The world's size, as in the environment.", type: 'string', default: '' },
    stepLimit: {
      description: 'As in the environment; episodes of the expert are truncated there too.',
      type: 'integer',
      minimum: 0,
      default: 100,
    },
    contentDir: {
      description: "Folder with TextWorldExpress's content files, or null for the built-in content.",
      type: ['string', 'null'],
      default: null,
    },
    showValidActions: { description: 'As in the environment.', type: 'boolean', default: false },
    seedStep: {
      description:
        "World i has the fold's first seed plus i times this. With a small number the first draws of the worlds are alike; with 123456 they are not.",
      type: 'integer',
      minimum: 1,
      default: 1,
    },
    onlyWon: { description: 'Leave out episodes that the limit has truncated.', type: 'boolean', default: true },
    slips: expertSlipsSchema.properties.slips,
    slipSeed: { description: 'Seed of the slips.', type: 'integer', default: 0 },
  },
} as const;

interface TextWorldExpressDemonstration {
  seed: number;
  won: boolean;
  transitions: InformedTransition[];
}

/**
 * Plays the gold path of each world. Actions of no effect (opening an open cupboard) are left out.
 *
 * @param worldOf what is reset for a seed
 */
export async function textWorldExpressDemonstrations(
  game: TextWorldExpressGame,
  options: TextWorldExpressDemonstrationOptions,
  worldOf: (seed: number) => TextWorldExpressReset = (seed) => ({ seed }),
): Promise<TextWorldExpressDemonstration[]> {
  const { episodes, seedStep, onlyWon, slips: share, slipSeed, ...envOptions } = options;
  const slips = new Slips(share, slipSeed);
  const env = new TextWorldExpress(game, { ...envOptions, backend: 'embedded', baseUrl: null, timeoutMs: 1 });
  const demonstrations: TextWorldExpressDemonstration[] = [];
  try {
    for (let i = 0; i < episodes; i++) {
      const demonstration = await playExpert(env, slips, worldOf(foldSeeds[options.fold] + i * seedStep));
      if (demonstration.won || !onlyWon) demonstrations.push(demonstration);
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
  const seed = world.seed!;
  const start = await env.reset(world);
  let { observation, info } = start;
  const transitions: InformedTransition[] = [];
  for (const action of await env.goldPath()) {
    if (!(info.validActions as readonly string[]).includes(action)) continue;
    const slip = slips.before(action, info.validActions as readonly string[]);
    for (const said of slip === null ? [action] : [slip, action]) {
      const { observation: nextObservation, info: nextInfo, reward, terminated, truncated } = await env.step(said);
      const end = { terminated, truncated, ...(said === slip && { slip: true }) };
      transitions.push({ observation, info, action: said, reward, nextObservation, nextInfo, ...end });
      if (terminated || truncated) return { seed, won: nextInfo.won === true, transitions };
      [observation, info] = [nextObservation, nextInfo];
    }
  }
  return { seed, won: false, transitions };
}
