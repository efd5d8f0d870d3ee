// Makes expert demonstrations of `textcraft`: actions of crafting plans and, at the requested rate, random ones.
import { choice, fraction, Rng, type InformedTransition } from '@bowyer/core';
import { reactLine } from '../agentgym/reply-rules.js';
import { playDemonstrations, type Demonstrator, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { expertItems } from '../splits.js';
import type { TextCraftOptions } from './options.js';
import { mistakes } from './mistakes.js';
import { craftingPlan, type PlannedAction, type PlanOrder } from './plan.js';
import { renamed, wordsOfNames } from './renamed-games.js';
import { textCraftSplits } from './splits.js';
import { TextCraft, type TextCraftInfo } from './textcraft.js';
import type { OptionsOf } from '../option.js';

export const textCraftExpertSchema = {
  renamed: fraction(
    0,
    'Share of games with exchanged names: items get the words of others, and the commands another order, so that they must be read.',
  ),
  order: choice(
    ['bottom_up', 'top_down', 'craft_by_craft'],
    'bottom_up',
    "Order of the crafts. 'bottom_up': all ingredients are made before the crafts that need them; 'top_down': each craft is tried, in vain, before its missing ingredients are made, so that every action follows from the last refusals; 'craft_by_craft': the ingredients of one craft are made before that craft, in the counts of its recipe, so that the environment lists every action as valid (play.action_choice).",
  ),
} as const;

/** The options of the demonstrations, except the rates of random actions and of deliberate mistakes. */
export type TextCraftExpert = Partial<OptionsOf<{ properties: typeof textCraftExpertSchema }>>;

/** Plays the expert's episodes. In the ReAct format, the thoughts of its replies say what is being crafted. */
export async function textCraftDemonstrations(
  options: TextCraftOptions,
  { renamed: share = 0, order, ...asked }: PlayedDemonstrationOptions & TextCraftExpert,
): Promise<InformedTransition[][]> {
  const env = new TextCraft(options);
  const words = wordsOfNames(env.tree.names());
  const rng = Rng.forPurpose(asked.seed, 'renamed games');
  const played = await playDemonstrations(
    expertItems(env, textCraftSplits(options), asked.split),
    planner(env, order, options.actionFormat === 'react'),
    asked,
  );
  const isMadeUp = played.map(() => rng.uniform() < share);
  return played.map((episode, i) => (isMadeUp[i] ? renamed(episode, words, rng) : episode));
}

function planner(env: TextCraft, order: PlanOrder | undefined, thinks: boolean): Demonstrator {
  let plan: PlannedAction[] = [];
  /** The last action that the plan chose, with its thought. */
  let chosen: PlannedAction = { action: '', thought: '' };
  let listed: string[] = [];
  /**
   * Whether every action is planned again from the current inventory, which may contain items that were fetched by mistake. In the
   * other orders of a plan, the new plan would begin again after an action that does not change the inventory.
   */
  const fromInventory = order === 'craft_by_craft';
  const planned = (info: Record<string, unknown>) =>
    craftingPlan(env.tree, (info as TextCraftInfo).goal, order, env.inventory);
  return {
    begin: (info) => {
      plan = planned(info);
      listed = [...(info.taskDescription as string).matchAll(/^craft .* using (.*)$/gm)].map(([, using]) => using);
    },
    best: (info) => {
      if (plan.length === 0 || fromInventory) plan = planned(info);
      chosen = plan.shift()!;
      return chosen.action;
    },
    random: (info, rng: Rng) => {
      chosen = plan[0] ?? chosen;
      return rng.choice((info as TextCraftInfo).validActions);
    },
    later: () => plan.map(({ action }) => action),
    reply: thinks ? (action) => reactLine(chosen.thought, action) : undefined,
    mistakes: thinks && fromInventory ? (rng) => mistakes(chosen, listed, rng) : undefined,
  };
}
