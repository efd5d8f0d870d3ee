// Plays BabyAI in text, as on AgentGym's server: a grid of rooms, missions in English, and actions that name the things in view.
// Source: Chevalier-Boisvert et al. 2019, arXiv:1810.08272. Worlds come from our own generator, so that a seed gives another
// world than in the original.
import { flag, integer, option, Rng } from '@bowyer/core';
import { backendProperties } from '../agentgym/backend.js';
import { reactLine } from '../agentgym/reply-rules.js';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { availableActions, CHECK, description, movesOf } from './actions.js';
import { expertAction } from './expert.js';
import { Explorer } from './explorer.js';
import { drawGame, levels, type Game, type Level } from './levels.js';
import { colours, kinds } from './grid.js';
import { isDone, taskTexts, type Task } from './mission.js';
import { options, type OptionsOf } from '../option.js';

export const babyAiSchema = options({
  ...backendProperties,
  levels: option<readonly Level[]>({
    description: 'Levels from which worlds are drawn: *_local have one room, the others three by three rooms.',
    type: 'array',
    items: { type: 'string', enum: [...levels] },
    minItems: 1,
    default: ['goto_local', 'pickup_local'],
  }),
  listActions: flag(true, 'End each observation with the list of available actions, as AgentGym does.'),
  stepLimit: integer(20, 'Actions after which the episode is truncated.'),
});

export type BabyAiOptions = OptionsOf<typeof babyAiSchema>;

/** The largest distance, and the largest number of things of one name, for which `texts` has the numbers. */
const LARGEST_NUMBER = 24;

/** Returns texts with all words of all levels, so that a vocabulary also serves levels that a run does not play. */
export const texts = (): string[] => [
  ...colours.flatMap((colour) =>
    [...kinds, 'open door', 'closed door', 'locked door'].map((kind) => `${colour} ${kind}`),
  ),
  ...Array.from({ length: LARGEST_NUMBER + 1 }, (_, number) => ` ${number} steps`),
  'go to pickup toggle and go through go through turn left turn right move forward drop',
  'Your goal: go to the a; pick up the a; open the a; put the a next to the a and',
  'look for by ahead behind left right free hands',
];

const UNKNOWN = 'The action is not recognized. Please check valid actions.';
const NO_CHANGE = 'No change in state.';
const NOTHING_TO_DROP = 'You cannot drop the object, as you are not carrying anything.';

/** The largest number of worlds that are drawn until the expert finds a plan for one; usually a few are enough. */
const LARGEST_NUMBER_OF_DRAWS = 200;
const EXPERT_LIMIT = 300;

export class BabyAi implements Env {
  readonly #order = new EpisodeOrder('babyai');
  #rng = new Rng(0);
  #play: Play | null = null;
  #explorer: Explorer | null = null;
  #steps = 0;

  constructor(private readonly options: BabyAiOptions) {}

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#play = solvable(this.#rng, this.options.levels);
    this.#explorer = null;
    this.#steps = 0;
    const { world } = this.#play.game;
    const taskDescription = `Your goal: ${this.#play.openText}`;
    const info = { ...this.#info(), taskDescription };
    const observation = `${taskDescription}\n${this.#shown(description(world), info.validActions)}`;
    return { observation, info };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const play = this.#play!;
    const words = action.trim().toLowerCase();
    const answer = play.act(words);
    this.#explorer?.acted(words);
    this.#steps++;
    const { maxMoves } = play.game;
    const terminated = play.isWon;
    const truncated = !terminated && (this.#steps >= this.options.stepLimit || play.moves >= maxMoves);
    if (terminated || truncated) this.#order.end();
    // BabyAI's reward. `moves` counts moves in the grid, of which an action such as 'go to red ball 1' makes several.
    const reward = terminated ? 1 - (0.9 * play.moves) / maxMoves : 0;
    const done = terminated ? '\n The task is completed.' : '';
    const info = this.#info();
    return { observation: this.#shown(`${answer}${done}`, info.validActions), reward, terminated, truncated, info };
  }

  /** Returns the actions of an expert that knows the whole map, from the initial state. The episode is not affected. */
  expertPath(): string[] {
    if (this.#play === null) throw new Error('babyai: expertPath() needs a world; call reset() first');
    return [...this.#play.expertPath];
  }

  /** Returns the actions of an expert that knows only the cells that it has seen; null if it exceeds its limit of actions. */
  explorerPath(): string[] | null {
    if (this.#play === null) throw new Error('babyai: explorerPath() needs a world; call reset() first');
    const trial = this.#play.fromStart();
    const explorer = new Explorer(trial.game.world);
    const path: string[] = [];
    while (!trial.isWon && trial.moves < trial.game.maxMoves && path.length < this.options.stepLimit) {
      const action = explorer.next(trial.openTasks)?.action ?? null;
      if (action === null) return null;
      trial.act(action);
      explorer.acted(action);
      path.push(action);
    }
    return trial.isWon ? path : null;
  }

  /**
   * Returns the next reply of an expert that knows only the cells seen since its first call in the episode. The reply's thought
   * consists of the unfinished tasks of the mission and the purpose of the action.
   */
  expertStep(): { action: string; thought: string } | null {
    if (this.#play === null) throw new Error('babyai: the expert needs a world; call reset() first');
    this.#explorer ??= new Explorer(this.#play.game.world);
    const step = this.#explorer.next(this.#play.openTasks);
    if (step === null) return null;
    return { action: step.action, thought: `${this.#play.openText}; ${step.purpose}` };
  }

  expertReply(): string | null {
    const step = this.expertStep();
    if (step === null) return null;
    return this.options.actionFormat === 'react' ? reactLine(step.thought, step.action) : step.action;
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #shown(text: string, actions: readonly string[]): string {
    if (!this.options.listActions) return `${text}\n`;
    return `${text}\nAvailable actions: [${actions.map((action) => `"${action}"`).join(', ')}]\n`;
  }

  #info() {
    const { game, isWon } = this.#play!;
    return { validActions: availableActions(game.world), score: isWon ? 1 : 0, won: isWon, level: this.#play!.level };
  }
}

/** The state of an episode: its world, the finished tasks of its mission, and the number of grid moves so far. */
class Play {
  moves = 0;
  expertPath: readonly string[] = [];
  readonly #done = new Set<Task>();
  /** The text of each task at the start of the episode; later the number of things that fit a task may differ. */
  readonly #texts: readonly string[];

  readonly game: Game;

  constructor(
    private readonly seed: number,
    readonly level: Level,
  ) {
    this.game = drawGame(new Rng(seed), level);
    this.#texts = taskTexts(this.game.mission, this.game.world);
  }

  fromStart(): Play {
    return new Play(this.seed, this.level);
  }

  get isWon(): boolean {
    return this.#done.size === this.game.mission.length;
  }

  get openText(): string {
    return this.#texts.filter((_, i) => !this.#done.has(this.game.mission[i])).join(' and ');
  }

  get openTasks(): Task[] {
    return this.game.mission.filter((task) => !this.#done.has(task));
  }

  act(action: string): string {
    const { world } = this.game;
    if (action === '') return NO_CHANGE;
    if (action.includes('check')) return `You can take the following actions: ${availableActions(world).join(', ')}`;
    if (action === 'drop' && world.carrying === null) return NOTHING_TO_DROP;
    const moves = movesOf(world, action);
    if (moves === null) return UNKNOWN;
    let changed = false;
    for (const move of moves) {
      const front = world.front;
      this.moves++;
      if (!world.move(move)) break;
      changed = true;
      for (const task of this.game.mission)
        if (isDone(task, world, move, move === 'drop' ? front : null)) this.#done.add(task);
      if (this.isWon) break;
    }
    // If the agent already faces the thing to go to, the task is done without a move.
    if (moves.length === 0)
      for (const task of this.game.mission) if (isDone(task, world, '', null)) this.#done.add(task);
    return changed || this.isWon ? description(world) : NO_CHANGE;
  }
}

/** Draws worlds until one is not solved in its initial state and the expert can solve it. */
function solvable(rng: Rng, among: readonly Level[]): Play {
  const level = rng.choice(among);
  for (let draw = 0; draw < LARGEST_NUMBER_OF_DRAWS; draw++) {
    const seed = rng.uint32();
    const trial = new Play(seed, level);
    const path: string[] = [];
    while (!trial.isWon && trial.moves < trial.game.maxMoves && path.length < EXPERT_LIMIT) {
      const action = expertAction(trial.game.world, trial.openTasks[0]);
      if (action === null || action === CHECK) break;
      trial.act(action);
      path.push(action);
    }
    if (!trial.isWon) continue;
    const play = trial.fromStart();
    play.expertPath = path;
    return play;
  }
  throw new Error(`babyai: no world of level '${level}' can be finished`);
}
