import { listedHistory, servedOffer } from '../context/context-options.js';
import { backendOptionNames, playedHereOrServed } from '../agentgym/backend.js';
import { expertNoiseSchema, playedOptions, playedSet, type ExpertNoise } from '../played-demonstrations.js';
import { servedSplits } from '../agentgym/splits.js';
import { sharedSplits } from '../splits.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { mazeDemonstrations } from './demonstrations.js';
import { Maze, mazeSchema, startCount, type MazeOptions } from './maze.js';

const game = { description: 'The starting place, 0…24 in the order of the docs page.', type: 'integer' } as const;

/** The options with which the built-in maze gives the same episodes as AgentGym's server. */
const asServed = { observation: 'full', reward: 'agentgym' } as const;

export const mazeUnit = defineEnvironment<MazeOptions, ExpertNoise>({
  name: 'maze',
  description: 'Walk to the goal of a small maze; observations describe the walls around (LMRL-Gym).',
  ...playedHereOrServed<MazeOptions>('maze', mazeSchema, {
    limit: 'maxSteps',
    make: (options) => new Maze(options),
    flatNames: { env_idx: 'game' },
  }),
  resetSchema: resetSchemaWith({ game }),
  // Training, evaluation and test have the same 25 starting cells of the one maze, as in LMRL-Gym.
  splits: ({ backend, testItems, game }) =>
    backend === 'agentgym'
      ? servedSplits('maze', { testItems })
      : sharedSplits({
          noun: 'starting places',
          count: game === null ? startCount : 1,
          item: ({ position }) => String(position),
        }),
  // With observation=full, the last observation suffices, since it contains the goal and the position.
  context: ({ backend, observation }) => {
    if (backend === 'agentgym') return servedOffer;
    return observation === 'partial' ? listedHistory : { observation: 'turn', kind: 'last', parts: ['validActions'] };
  },
  sampleActions: ['move left', 'move right', 'move up', 'move down', 'move down', 'jump', ''],
  // With rewards of −1 per step, a policy that was trained on demonstrations takes about 16 steps, which is a return of −11 at a
  // discount of 0.95. With a reward of 1 for the goal, most of its episodes reach the goal.
  critic: { typicalReturn: ({ reward, backend }) => (reward === 'lmrl' && backend === 'embedded' ? -10 : 0.5) },
  // The recordings with which replays are compared were made with AgentGym's server.
  replay: { options: asServed },
  demonstrations: {
    schema: expertNoiseSchema,
    make: async (options, request) => {
      const played = options.backend === 'agentgym' ? { ...options, ...asServed } : options;
      return playedSet(await mazeDemonstrations(played, playedOptions(request)));
    },
    independentOf: backendOptionNames.filter((name) => name !== 'backend'),
  },
});
