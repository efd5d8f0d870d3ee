// Plays the TextWorldExpress games as environments: rewards are differences of scores. The rules around a game (limits, rejected
// actions, "help") are those of TextWorldExpress's Python package; the texts are ours.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { UnknownNameError } from '../contract/unknown-name-error.js';
import { builtInContent } from './content/built-in-content.js';
import type { Content } from './content/content.js';
import { loadContent } from './content/load-content.js';
import { textWorldExpressGames } from './descriptions.js';
import { gameKinds } from './games/index.js';
import type { GameKind, GameTurn, TextGame, WorldChoice } from './games/text-game.js';
import type { TextWorldExpressOptions } from './options.js';
import { folds, foldSeeds, parseParameters, type Fold } from './parameters.js';

/** The options of an episode; by default those of the environment, and a seed drawn from the fold's thousand seeds. */
export interface TextWorldExpressReset {
  seed?: number;
  fold?: Fold;
  params?: string;
  stepLimit?: number;
}

interface TextWorldExpressInfo extends Record<string, unknown> {
  /** The valid actions, in the shuffled order of TextWorldExpress. */
  validActions: readonly string[];
  /** The score divided by the largest possible one; −1 after a mistake that ends the game. Rewards are its differences. */
  score: number;
  /** The score in points of the game, which differ between games. */
  scoreRaw: number;
  won: boolean;
  failed: boolean;
  /** The descriptions of the current room and of the inventory. Having them in `info` does not cost the agent a turn. */
  look: string;
  inventory: string;
  taskDescription: string;
  /** The number of actions since the reset. Rejected ones count; "help" does not. */
  numMoves: number;
}

const REJECTED = 'That is not something you can do now.';

export class TextWorldExpress implements Env {
  readonly #kind: GameKind;
  readonly #order: EpisodeOrder;
  readonly #content: Content;
  #rng = new Rng(0);
  #world: WorldChoice | null = null;
  #game: TextGame | null = null;
  #stepLimit: number;
  #turn: GameTurn = noTurn;
  #numMoves = 0;

  /** Creates the environment of a game. @param game name in lower or upper case */
  constructor(
    game: string,
    private readonly options: TextWorldExpressOptions,
  ) {
    this.#kind = findGame(game);
    this.#order = new EpisodeOrder(this.#kind.name);
    this.#stepLimit = options.stepLimit;
    this.#content = options.contentDir === null ? builtInContent() : loadContent(options.contentDir);
    // A world is chosen once, so that an invalid option is an error here and not in the first episode.
    this.#chooseWorld({ seed: 0 });
  }

  async reset(options: TextWorldExpressReset = {}): Promise<ResetResult> {
    this.#order.begin();
    const { properties } = this.#begin(options);
    this.#stepLimit = options.stepLimit ?? this.options.stepLimit;
    this.#numMoves = 0;
    return {
      observation: this.#show(`${this.#taskDescription}\n\n${this.#turn.observation}`),
      info: { ...this.#info(), seed: properties.seed, fold: options.fold ?? this.#fold, properties },
    };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    // The environment itself answers `help`, which is not a move of the game.
    if (action === 'help') return this.#result(this.#taskDescription, 0, { accepted: false, invalid: false });
    const text = trim(action);
    const scoreBefore = this.#turn.score.normalized;
    const accepted = this.#turn.validActions.includes(text);
    if (accepted) this.#turn = this.#game!.act(text);
    this.#numMoves++;
    // As in TextWorldExpress, the score before the first move counts as 0, which matters only for a world that is won at once.
    const reward = this.#turn.score.normalized - (this.#numMoves === 1 ? 0 : scoreBefore);
    return this.#result(accepted ? this.#turn.observation : REJECTED, reward, { accepted, invalid: !accepted });
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  /** Returns the expert's actions, which win the current world from its beginning. The episode in progress is not affected. */
  async goldPath(): Promise<string[]> {
    if (this.#world === null) throw new Error(`${this.#kind.name}: goldPath() needs a world; call reset() first`);
    return this.#kind.goldPath(this.#world);
  }

  /** Makes a world and returns its game after the first turn. If this fails, no episode is in progress. */
  #begin(options: TextWorldExpressReset): TextGame {
    try {
      this.#world = this.#chooseWorld(options);
      const game = (this.#game = this.#kind.make(this.#world));
      this.#turn = game.begin();
      return game;
    } catch (error) {
      this.#order.end();
      throw error;
    }
  }

  /** Chooses the world of an episode; draws its seed if none is given. @throws for an unknown fold or parameter */
  #chooseWorld({ seed, fold = this.#fold, params = this.options.params }: TextWorldExpressReset): WorldChoice {
    if (!folds.includes(fold)) throw new UnknownNameError('fold', fold, folds);
    if (seed !== undefined && !Number.isSafeInteger(seed)) {
      throw new RangeError(`${this.#kind.name}: the seed is ${seed}; give an integer, of which 32 bits count`);
    }
    const parameters = parseParameters(this.#kind.name, this.#kind.parameters, params);
    if (seed !== undefined) this.#rng = new Rng(seed);
    const chosen = seed ?? this.#rng.integer(foldSeeds[fold], foldSeeds[fold] + 999);
    return { seed: chosen | 0, fold, parameters, content: this.#content };
  }

  get #taskDescription(): string {
    return this.#game?.taskDescription ?? '';
  }

  get #fold(): Fold {
    return this.options.fold ?? 'train';
  }

  #result(observation: string, reward: number, answer: { accepted: boolean; invalid: boolean }): StepResult {
    const { score } = this.#turn;
    const terminated = this.#numMoves > 0 && (score.won || score.failed || score.normalized >= 1);
    const truncated = !terminated && this.#numMoves > this.#stepLimit;
    if (terminated || truncated) this.#order.end();
    return {
      observation: this.#show(observation),
      reward,
      terminated,
      truncated,
      info: { ...this.#info(), ...answer },
    };
  }

  #show(observation: string): string {
    if (!this.options.showValidActions) return observation;
    return `${observation}\nValid actions: ${this.#turn.validActions.join(', ')}`;
  }

  #info(): TextWorldExpressInfo {
    const { score, validActions, look, inventory } = this.#turn;
    return {
      validActions,
      score: score.normalized,
      scoreRaw: score.raw,
      won: score.won,
      failed: score.failed,
      look,
      inventory,
      taskDescription: this.#taskDescription,
      numMoves: this.#numMoves,
    };
  }
}

const noTurn: GameTurn = {
  observation: '',
  look: '',
  inventory: '',
  validActions: [],
  score: { raw: 0, normalized: 0, won: false, failed: false },
};

function findGame(name: string): GameKind {
  const kind = gameKinds.find((candidate) => candidate.name === name.toLowerCase());
  if (kind === undefined) throw new UnknownNameError('TextWorldExpress game', name, textWorldExpressGames);
  return kind;
}

/** Removes all characters up to U+0020 at both ends of a text, but no others, as Java's `trim` does. */
const trim = (text: string) => text.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '');
