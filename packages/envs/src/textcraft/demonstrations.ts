// Crafting plans, and random actions as often as asked for.
import type { Rng, Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { trainItems } from '../splits.js';
import type { TextCraftOptions } from './options.js';
import { craftingPlan } from './plan.js';
import { textCraftSplits } from './splits.js';
import { TextCraft, type TextCraftInfo } from './textcraft.js';

export function textCraftDemonstrations(
  options: TextCraftOptions,
  asked: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const env = new TextCraft(options);
  let plan: string[] = [];
  return playDemonstrations(
    trainItems(env, textCraftSplits(options)),
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
