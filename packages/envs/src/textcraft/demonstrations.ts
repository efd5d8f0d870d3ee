// Crafting plans, and random actions as often as asked for.
import { Rng, type InformedTransition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { expertItems } from '../splits.js';
import type { TextCraftOptions } from './options.js';
import { craftingPlan } from './plan.js';
import { renamed, wordsOfNames } from './renamed.js';
import { textCraftSplits } from './splits.js';
import { TextCraft, type TextCraftInfo } from './textcraft.js';

/** What a run may choose of the expert beside noise and slips. */
export interface MadeUpGames {
  /** Share of games with words exchanged and commands shuffled, 0…1. */
  renamed?: number;
}

export async function textCraftDemonstrations(
  options: TextCraftOptions,
  { renamed: share = 0, ...asked }: PlayedDemonstrationOptions & MadeUpGames,
): Promise<InformedTransition[][]> {
  const env = new TextCraft(options);
  const words = wordsOfNames(env.tree.names());
  const rng = Rng.forPurpose(asked.seed, 'renamed games');
  const played = await playedBy(env, options, asked);
  return played.map((episode) => (rng.uniform() < share ? renamed(episode, words, rng) : episode));
}

function playedBy(
  env: TextCraft,
  options: TextCraftOptions,
  asked: PlayedDemonstrationOptions,
): Promise<InformedTransition[][]> {
  let plan: string[] = [];
  return playDemonstrations(
    expertItems(env, textCraftSplits(options), asked.split),
    {
      begin: (info) => {
        plan = craftingPlan(env.tree, (info as TextCraftInfo).goal);
      },
      // Unneeded items do not spoil a plan; a new plan replaces what they used up.
      best: (info) => {
        if (plan.length === 0) plan = craftingPlan(env.tree, (info as TextCraftInfo).goal);
        return plan.shift()!;
      },
      random: (info, rng: Rng) => rng.choice((info as TextCraftInfo).validActions),
    },
    asked,
  );
}
