// Plays the environment `maze`: the agent walks to the goal of a small maze; observations describe the walls around it. Source:
// the double_t_maze in the repository of LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232), and AgentGym's server for it; see
// maze.md.
import { choice, integer, Rng } from '@bowyer/core';
import { backendProperties } from '../agentgym/backend.js';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { freeCells, goal, isFree, isGoal, moved, moveNames, neighbour, type Cell, type Move } from './rooms.js';
import { options, type OptionsOf } from '../option.js';

export const mazeSchema = options({
  ...backendProperties,
  observation: choice(
    ['full', 'partial'],
    'full',
    "'full': the goal, the position and the walls around it, as they are now; 'partial': only the walls, with all moves so far.",
  ),
  reward: choice(
    ['lmrl', 'agentgym'],
    'lmrl',
    "'lmrl': −1 a step, −4 for a text that is not a move, 0 on arrival; 'agentgym': 1 on arrival, else 0. Both: −1 for Failure.",
  ),
  maxSteps: integer(
    50,
    'Number of steps that are carried out; the next one is answered with Failure and ends the episode.',
  ),
  game: integer(
    null,
    'Number of the starting place, 0…24 in the order of the page on maze; null: the seed draws one.',
    { minimum: 0, maximum: 24 },
  ),
});

export type MazeOptions = OptionsOf<typeof mazeSchema>;

/** The `info` of every step. `position` is row and column of the agent's cell. */
export interface MazeInfo extends Record<string, unknown> {
  position: Cell;
  validActions: readonly Move[];
  won: boolean;
}

/** The number of cells in which an episode may start: every free cell except the goal. */
export const startCount = freeCells.length - 1;

export class Maze implements Env {
  readonly #order = new EpisodeOrder('maze');
  #rng = new Rng(0);
  #position: Cell = freeCells[0];
  #steps = 0;
  #history = '';

  constructor(private readonly options: MazeOptions) {}

  /** @param options.game index of the starting cell; as on AgentGym's server, a negative index counts from the end */
  async reset({
    seed,
    game = this.options.game ?? undefined,
  }: { seed?: number; game?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#position = game === undefined ? freeCells[this.#rng.integer(0, startCount - 1)] : startOf(game);
    this.#steps = 0;
    const observation = this.#description();
    this.#history = `${observation}\n`;
    return { observation: this.options.observation === 'full' ? observation : this.#history, info: this.#info() };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const said = action.split('\n', 1)[0].trim();
    if (this.#steps >= this.options.maxSteps) return this.#end(said, 'Failure\n', -1);
    const move = moveNames.find((name) => name === said);
    if (move !== undefined) this.#position = moved(this.#position, move);
    this.#steps++;
    const { reward } = this.options;
    if (isGoal(this.#position)) return this.#end(said, 'Success\n', reward === 'lmrl' ? 0 : 1);
    return {
      observation: this.#observe(said, this.#description()),
      reward: reward === 'agentgym' ? 0 : move === undefined ? -4 : -1,
      terminated: false,
      truncated: false,
      info: this.#info(),
    };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #end(action: string, text: string, reward: number): StepResult {
    this.#order.end();
    return { observation: this.#observe(action, text), reward, terminated: true, truncated: false, info: this.#info() };
  }

  /** The walls do not identify the position, so that a partial observation contains all moves so far. */
  #observe(action: string, text: string): string {
    if (this.options.observation === 'full') return text;
    this.#history += `${action}\n${text.trimEnd()}\n`;
    return this.#history;
  }

  #description(): string {
    const walls = wallsText(this.#position);
    if (this.options.observation === 'partial') return walls;
    const [row, column] = this.#position;
    return `The goal is at position ${goal.join(', ')}. Your current position is at position ${row}, ${column}. ${walls}`;
  }

  #info(): MazeInfo {
    return { position: this.#position, validActions: moveNames, won: isGoal(this.#position) };
  }
}

function startOf(game: number): Cell {
  const index = game < 0 ? game + freeCells.length : game;
  if (!Number.isInteger(index) || index < 0 || index >= startCount) {
    throw new RangeError(
      `maze: game ${game} is not a starting place; there are 0…${startCount - 1}` +
        (index === startCount ? `, and ${startCount} is the goal itself` : ''),
    );
  }
  return freeCells[index];
}

const sides: readonly [text: string, move: Move][] = [
  ['to your right', 'move right'],
  ['to your left', 'move left'],
  ['above you', 'move up'],
  ['below you', 'move down'],
];

function wallsText(position: Cell): string {
  const walls = sides.filter(([, move]) => !isFree(neighbour(position, move))).map(([text]) => text);
  if (walls.length === 0) return 'There are no walls near you.';
  return walls.length === 1 ? `There is a wall ${walls[0]}.` : `There are walls ${walls.join(', ')}.`;
}
