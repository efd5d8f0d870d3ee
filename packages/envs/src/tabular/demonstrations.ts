// Makes demonstrations of `tabular`: optimal and, at the requested rate, random actions. This is the policy of `epsilonGreedy`.
import type { Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { actionsOf, towerModel } from './model.js';
import { TabularGame, type TabularOptions } from './tabular-game.js';

export function tabularDemonstrations(
  options: TabularOptions,
  asked: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const env = new TabularGame(options);
  return playDemonstrations(
    env,
    { best: () => env.expertReply(), random: (_, rng) => rng.choice(actionsOf(towerModel)) },
    asked,
  );
}
