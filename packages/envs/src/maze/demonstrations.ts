// Plays demonstrations of the maze: the shortest path to the goal, with random moves at the requested rate.
import type { Transition } from '@bowyer/core';
import { playDemonstrations, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { Maze, type MazeInfo, type MazeOptions } from './maze.js';
import { moveNames, shortestWay } from './rooms.js';

export const mazeDemonstrations = (env: MazeOptions, options: PlayedDemonstrationOptions): Promise<Transition[][]> =>
  playDemonstrations(
    new Maze(env),
    {
      best: (info) => shortestWay.get(String((info as MazeInfo).position))!,
      random: (_, rng) => rng.choice(moveNames),
    },
    options,
  );
