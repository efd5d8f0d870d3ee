// Plays ALFWorld, household tasks in text: in households that this project generates from seeds, in ALFWorld's own game files, or
// on an AgentGym server. Source: Shridhar et al. 2021, arXiv:2010.03768.
import { choice, defaulting, flag, integer, option, Rng, text } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { backendProperties } from '../agentgym/backend.js';
import { agentGymProperties } from '../agentgym/options.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { Expert } from './expert.js';
import { Household, NOTHING_HAPPENS } from './household.js';
import { makeProblem } from './make-problem.js';
import { findGames, readProblem } from './problem-file.js';
import { type Problem, type TaskType, taskTypes } from './problem.js';
import { options, type OptionsOf } from '../option.js';

export const alfworldSchema = options({
  ...backendProperties,
  actionFormat: defaulting(agentGymProperties.actionFormat, 'plain'),
  games: text(
    null,
    'A game.tw-pddl of ALFWorld or a folder of such games; null: households that are generated from the seed.',
  ),
  taskTypes: option<readonly TaskType[]>({
    description: 'Kinds of tasks in generated households; a game file has its own task.',
    type: 'array',
    items: { type: 'string', enum: [...taskTypes] },
    minItems: 1,
    default: [...taskTypes],
  }),
  putPhrase: choice(
    ['put', 'move'],
    'put',
    "'put': put O in/on R, as ALFWorld 0.3; 'move': move O to R, as 0.4. Both are understood.",
  ),
  stepLimit: integer(50, 'Commands after which the episode is truncated.'),
  observation: choice(
    ['turn', 'history'],
    'turn',
    "'turn': the answer to the last command; 'history': everything said so far, for players without memory.",
  ),
  showCommands: flag(false, 'Write the admissible commands below every observation, as AgentGym does at the start.'),
});

export type AlfworldOptions = OptionsOf<typeof alfworldSchema>;

interface AlfworldReset {
  seed?: number;
  /** The number of the game file in the folder, or the seed of a generated household. */
  game?: number;
}

export class Alfworld implements Env {
  readonly #order = new EpisodeOrder('alfworld');
  readonly #games: readonly string[] | null;
  #rng = new Rng(0);
  #household: Household | null = null;
  #steps = 0;
  #history = '';

  constructor(private readonly options: AlfworldOptions) {
    this.#games = options.games === null ? null : findGames(options.games);
  }

  async reset({ seed, game }: AlfworldReset = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const problem = this.#problem(game);
    this.#household = new Household(problem, this.options.putPhrase);
    this.#steps = 0;
    this.#history = '';
    const taskDescription = `Your task is to: ${problem.goalText}.`;
    const introduction = `${this.#household.introduction()}\n${taskDescription}`;
    return { observation: this.#shown(introduction), info: { ...this.#info(), taskDescription } };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const household = this.#household!;
    this.#history += `${action}\n`;
    const observation = household.obey(action);
    this.#steps++;
    const terminated = observation !== NOTHING_HAPPENS && household.won;
    const truncated = !terminated && this.#steps >= this.options.stepLimit;
    if (terminated || truncated) this.#order.end();
    return {
      observation: this.#shown(observation),
      reward: terminated ? 1 : 0,
      terminated,
      truncated,
      info: this.#info(),
    };
  }

  /**
   * Returns the commands of the exploring expert from the household's initial state, and whether they win. The running episode is
   * not affected. @param seed draws among equally likely places of a thing; null: the first listed place is taken
   */
  expertPath(seed: number | null = 0): { commands: string[]; won: boolean } {
    if (this.#household === null) throw new Error('alfworld: expertPath() needs a household; call reset() first');
    const { problem } = this.#household;
    if (problem.task === null)
      throw new Error('alfworld: the game has no traj_data.json beside it that names its task');
    const household = new Household(problem, this.options.putPhrase);
    const expert = new Expert(household, problem.task, seed === null ? null : new Rng(seed));
    const commands: string[] = [];
    while (!household.won && commands.length < this.options.stepLimit) {
      const command = expert.next();
      if (command === null) break;
      household.obey(command);
      commands.push(command);
    }
    return { commands, won: household.won };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #problem(game: number | undefined): Problem {
    if (this.#games === null) {
      const rng = game === undefined ? this.#rng : new Rng(game);
      return makeProblem(rng, this.options.taskTypes);
    }
    const index = game ?? this.#rng.integer(0, this.#games.length - 1);
    if (!(index >= 0 && index < this.#games.length))
      throw new RangeError(`alfworld: there is no game ${index}; the folder has 0 to ${this.#games.length - 1}`);
    return readProblem(this.#games[index]);
  }

  #shown(answer: string): string {
    const { showCommands, observation } = this.options;
    const commands = showCommands ? `AVAILABLE ACTIONS: ${this.#household!.admissibleCommands().join(',')}\n` : '';
    const turn = `${answer}\n${commands}`;
    this.#history += turn;
    return observation === 'history' ? this.#history : turn;
  }

  #info(): Record<string, unknown> {
    const { won, problem } = this.#household!;
    return {
      validActions: this.#household!.admissibleCommands(),
      score: won ? 1 : 0,
      won,
      taskType: problem.task?.type ?? null,
    };
  }
}
