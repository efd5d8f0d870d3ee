import { expertNoiseSchema, playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { sharedSplits } from '../splits.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { tabularDemonstrations } from './demonstrations.js';
import { optimalValues, startValue } from './exact-values.js';
import { towerModel } from './model.js';
import { TabularGame, tabularSchema, type TabularOptions } from './tabular-game.js';

export const tabularUnit = defineEnvironment<TabularOptions, ExpertNoise>({
  name: 'tabular',
  description: 'Reach the treasure of a tower in five states: a game whose values are known exactly.',
  rules: () =>
    'An observation is the name of the state. An action is left, right or wait. The treasure in the tower gives 2, an early end little.',
  schema: tabularSchema,
  resetSchema: resetSchemaWith(),
  make: (options) => new TabularGame(options),
  hasExpert: () => true,
  // All splits play the same game. The seed draws only its random outcomes.
  splits: () => sharedSplits({ noun: 'game', count: 1, item: () => 'the tower' }),
  // The next outcome depends only on the current state, so that the last observation suffices as the agent's context.
  context: () => ({ observation: 'turn', kind: 'last', parts: ['validActions'] }),
  sampleActions: ['left', 'right', 'wait', 'left', 'jump', ''],
  // Demonstrations in which half of the actions are random have a mean return of 0.57, or 0.44 with a discount of 0.95.
  critic: { typicalReturn: () => 0.45 },
  demonstrations: {
    schema: expertNoiseSchema,
    make: async (options, request) => playedSet(await tabularDemonstrations(options, playedOptions(request))),
  },
  evaluation: {
    optimalReturn: ({ maxSteps }) => startValue(towerModel, optimalValues(towerModel, { gamma: 1, horizon: maxSteps })),
  },
});
