import { backendProperties, servedGame, type BackendOptions } from '../agentgym/backend.js';
import { resetSchemaWith, type Registration } from '../registration.js';
import { Maze, mazeSchema, type MazeOptions } from './maze.js';

const game = { description: 'The starting place, 0…24 in the order of the docs page.', type: 'integer' } as const;

export const mazeRegistration: Registration<MazeOptions & BackendOptions> = {
  description: 'Walk to the goal of a small maze by what is said of the walls around (LMRL-Gym).',
  schema: { ...mazeSchema, properties: { ...mazeSchema.properties, ...backendProperties } },
  resetSchema: resetSchemaWith({ game }),
  make: (options) =>
    options.backend === 'agentgym' ? servedGame('maze', options, options.maxSteps) : new Maze(options),
  sampleActions: ['move left', 'move right', 'move up', 'move down', 'move down', 'jump', ''],
};
