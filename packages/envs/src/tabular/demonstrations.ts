// Makes demonstrations of the environment `tabular`: the optimal action, and random actions at the requested rate. This equals
// the policy of `epsilonGreedy`, whose exact value can be computed.
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
