// Crafting plans carried out, with as many other actions between as asked for.
import type { Rng, Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import type { TextCraftOptions } from './options.js';
import { craftingPlan } from './plan.js';
import { TextCraft, type TextCraftInfo } from './textcraft.js';

export function textCraftDemonstrations(
  options: TextCraftOptions,
  asked: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const env = new TextCraft(options);
  let plan: string[] = [];
  return playDemonstrations(
    env,
    {
      begin: (info) => {
        plan = craftingPlan(env.tree, (info as TextCraftInfo).goal);
      },
      // Needless things do not spoil a plan; what they used up is fetched again by a new one.
      best: (info) => {
        if (plan.length === 0) plan = craftingPlan(env.tree, (info as TextCraftInfo).goal);
        return plan.shift()!;
      },
      random: (info, rng: Rng) => rng.choice((info as TextCraftInfo).validActions),
    },
    asked,
  );
}
