// The best action by the exact values, and random ones as often as asked for: `epsilonGreedy`, whose value is known exactly.
import type { Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { epsilonGreedy, optimalValues } from './exact-values.js';
import { actionsOf, towerModel } from './model.js';
import { TabularGame, type TabularInfo, type TabularOptions } from './tabular-game.js';

export function tabularDemonstrations(
  env: TabularOptions,
  options: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  const best = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1 }), 0);
  return playDemonstrations(
    new TabularGame(env),
    {
      best: (info) => {
        const chances = best[(info as TabularInfo).state!];
        return Object.keys(chances).find((action) => chances[action] === 1)!;
      },
      random: (_, rng) => rng.choice(actionsOf(towerModel)),
    },
    options,
  );
}
