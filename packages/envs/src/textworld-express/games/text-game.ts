// The interface of a game to the environment around it, and the functions that choose and make a game.
import type { Content } from '../content/content.js';
import type { Fold, ParameterSpec, ParameterValues } from '../parameters.js';

export interface Score {
  /** The score in the game's own points. */
  raw: number;
  /** The points divided by the highest possible; −1 where the game punishes a mistake so. */
  normalized: number;
  won: boolean;
  failed: boolean;
}

/** The texts that the player reads after the reset and after every accepted action. */
export interface GameTurn {
  observation: string;
  /** The current room, without a turn. */
  look: string;
  inventory: string;
  /** The valid actions, in the engine's shuffled order. */
  validActions: readonly string[];
  score: Score;
}

export interface TextGame {
  readonly taskDescription: string;
  /** Numbers that describe how the world was made. */
  readonly properties: Readonly<Record<string, number>>;
  /** Returns the opening turn. Call once. */
  begin(): GameTurn;
  /** Plays one of the valid actions. */
  act(action: string): GameTurn;
}

export interface WorldChoice {
  /** A 32-bit integer. */
  seed: number;
  fold: Fold;
  parameters: ParameterValues;
  content: Content;
}

export interface GameKind {
  readonly name: string;
  readonly parameters: readonly ParameterSpec[];
  make(choice: WorldChoice): TextGame;
  /** Returns actions that win this world, played in order after the reset. */
  goldPath(choice: WorldChoice): string[];
}
