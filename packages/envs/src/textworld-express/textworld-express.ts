// The TextWorldExpress games as environments: seeds, folds and parameters at the reset, score differences as rewards.
// Rules of the wrapper (limits, rejected texts, "help") as in its Python package; the words are ours.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { UnknownNameError } from '../contract/unknown-name-error.js';
import { builtInContent } from './content/built-in-content.js';
import { loadContent } from './content/load-content.js';
import { gameKinds } from './games/index.js';
import type { GameKind, TextGame, Turn, WorldChoice } from './games/text-game.js';
import { folds, foldSeeds, parseParameters, type Fold } from './parameters.js';

export interface TextWorldExpressOptions {
  /** cookingworld, twc, coin, mapreader, arithmetic, sorting, simonsays or peckingorder. */
  game: string;
  fold: Fold;
  /** "name=value,name=value"; what is left out takes the game's default. */
  params: string;
  /** The action after this many cuts the episode, so stepLimit + 1 actions are played, as in TextWorldExpress. */
  stepLimit: number;
  /** Folder with TextWorldExpress's content files; null plays with the built-in content. */
  contentDir: string | null;
  /** Say the valid actions below every observation. */
  showValidActions: boolean;
}

/** What is left out keeps its last value; without a seed one of the fold's thousand is drawn. */
export interface TextWorldExpressReset {
  seed?: number;
  fold?: Fold;
  params?: string;
  stepLimit?: number;
}

/** `numMoves` counts every action but "help", rejected ones included; `accepted` tells whether this one was valid. */
export interface TextWorldExpressInfo extends Record<string, unknown> {
  validActions: readonly string[];
  score: number;
  scoreRaw: number;
  won: boolean;
  failed: boolean;
  look: string;
  inventory: string;
  taskDescription: string;
  numMoves: number;
}

const REJECTED = 'That is not something you can do here.';

export class TextWorldExpress implements Env {
  readonly #kind: GameKind;
  readonly #order: EpisodeOrder;
  #rng = new Rng(0);
  #choice: WorldChoice | null = null;
  #stepLimit = 0;
  #game: TextGame | null = null;
  #turn: Turn | null = null;
  #numMoves = 0;

  constructor(private readonly options: TextWorldExpressOptions) {
    this.#kind = findGame(options.game);
    this.#order = new EpisodeOrder(this.#kind.name);
    // A wrong parameter or a missing file is found here, before any episode.
    this.#choose({ seed: 0 });
  }

  async reset(options: TextWorldExpressReset = {}): Promise<ResetResult> {
    this.#order.begin();
    if (options.seed !== undefined) this.#rng = new Rng(options.seed);
    const fold = options.fold ?? this.options.fold;
    const seed = options.seed ?? this.#rng.integer(foldSeeds[fold], foldSeeds[fold] + 999);
    this.#choice = this.#choose({ ...options, seed });
    this.#stepLimit = options.stepLimit ?? this.options.stepLimit;
    this.#game = this.#kind.make(this.#choice);
    this.#turn = this.#game.begin();
    this.#numMoves = 0;
    const { taskDescription, properties } = this.#game;
    return {
      observation: this.#show(`${taskDescription}\n\n${this.#turn.observation}`),
      info: { ...this.#info(), seed, fold, properties },
    };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const [game, before] = [this.#game!, this.#turn!];
    // Answered by the wrapper: no move, no time.
    if (action === 'help') return this.#result(game.taskDescription, 0, false);
    const text = trim(action);
    const accepted = before.validActions.includes(text);
    if (accepted) this.#turn = game.act(text);
    this.#numMoves++;
    const { score, observation } = this.#turn!;
    const reward = score.normalized - before.score.normalized;
    return this.#result(accepted ? observation : REJECTED, reward, accepted);
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  /** Actions that win the episode in play when said from its start. */
  goldPath(): string[] {
    if (this.#choice === null) throw new Error(`${this.#kind.name}: goldPath() needs a world; call reset() first`);
    return this.#kind.goldPath(this.#choice);
  }

  #choose(reset: TextWorldExpressReset & { seed: number }): WorldChoice {
    const { contentDir } = this.options;
    const fold = reset.fold ?? this.options.fold;
    if (!folds.includes(fold)) throw new UnknownNameError('fold', fold, folds);
    if (!Number.isSafeInteger(reset.seed)) {
      throw new RangeError(`${this.#kind.name}: the seed is ${reset.seed}; give a whole number`);
    }
    return {
      seed: reset.seed | 0,
      fold,
      parameters: parseParameters(this.#kind.name, this.#kind.parameters, reset.params ?? this.options.params),
      content: contentDir === null ? builtInContent() : loadContent(contentDir),
    };
  }

  #result(observation: string, reward: number, accepted: boolean): StepResult {
    const { score } = this.#turn!;
    const terminated = score.won || score.failed || score.normalized >= 1;
    const truncated = !terminated && this.#numMoves > this.#stepLimit;
    if (terminated || truncated) this.#order.end();
    return { observation: this.#show(observation), reward, terminated, truncated, info: { ...this.#info(), accepted } };
  }

  #show(observation: string): string {
    if (!this.options.showValidActions) return observation;
    return `${observation}\nValid actions: ${this.#turn!.validActions.join(', ')}`;
  }

  #info(): TextWorldExpressInfo {
    const { score, validActions, look, inventory } = this.#turn!;
    return {
      validActions,
      score: score.normalized,
      scoreRaw: score.raw,
      won: score.won,
      failed: score.failed,
      look,
      inventory,
      taskDescription: this.#game!.taskDescription,
      numMoves: this.#numMoves,
    };
  }
}

/** Games are found by name without regard to case. */
function findGame(name: string): GameKind {
  const kind = gameKinds.find((candidate) => candidate.name === name.toLowerCase());
  if (kind !== undefined) return kind;
  throw new UnknownNameError(
    'TextWorldExpress game',
    name,
    gameKinds.map((candidate) => candidate.name),
  );
}

/** Java's trim: everything up to the blank, and nothing above it. */
const trim = (text: string) => text.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '');
