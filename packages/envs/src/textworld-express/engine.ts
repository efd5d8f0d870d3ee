// Engines that play worlds: the built-in games, or the original simulator over its protocol.
import { builtInContent } from './content/built-in-content.js';
import { loadContent } from './content/load-content.js';
import type { Content } from './content/content.js';
import type { GameKind, TextGame, GameTurn, WorldChoice } from './games/text-game.js';
import { parseParameters, type Fold } from './parameters.js';

export interface World {
  /** A 32-bit integer. */
  seed: number;
  fold: Fold;
  params: string;
}

export interface Opening {
  turn: GameTurn;
  taskDescription: string;
  properties: Readonly<Record<string, number>>;
}

/** Generates worlds and plays them, one episode at a time. */
export interface Engine {
  start(world: World): Promise<Opening>;
  /** Plays an action, which must be one of the last turn's valid actions. */
  act(action: string): Promise<GameTurn>;
  goldPath(world: World): Promise<string[]>;
  close(): Promise<void>;
}

export class EmbeddedEngine implements Engine {
  readonly #content: Content;
  #game: TextGame | null = null;

  /** Prepares the engine. @param contentDir folder of content files; null: the built-in content */
  constructor(
    private readonly kind: GameKind,
    contentDir: string | null,
  ) {
    this.#content = contentDir === null ? builtInContent() : loadContent(contentDir);
  }

  async start(world: World): Promise<Opening> {
    const game = this.kind.make(this.#choice(world));
    this.#game = game;
    return { turn: game.begin(), taskDescription: game.taskDescription, properties: game.properties };
  }

  async act(action: string): Promise<GameTurn> {
    if (this.#game === null) throw new Error(`${this.kind.name}: act() before start()`);
    return this.#game.act(action);
  }

  async goldPath(world: World): Promise<string[]> {
    return this.kind.goldPath(this.#choice(world));
  }

  async close(): Promise<void> {
    this.#game = null;
  }

  #choice({ seed, fold, params }: World): WorldChoice {
    const parameters = parseParameters(this.kind.name, this.kind.parameters, params);
    return { seed, fold, parameters, content: this.#content };
  }
}
