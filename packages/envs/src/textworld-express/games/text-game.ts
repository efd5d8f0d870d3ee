// Defines the interface of a game, and the functions that choose and make one.
import type { Content } from '../content/content.js';
import type { Fold, ParameterSpec, ParameterValues } from '../parameters.js';

export interface Score {
  /** The score in the game's own points. */
  raw: number;
  /** The score divided by the largest possible one; −1 after a mistake, in games that punish it so. */
  normalized: number;
  won: boolean;
  failed: boolean;
}

/** The texts after the reset and after each valid action. */
export interface GameTurn {
  observation: string;
  /** The description of the current room, which costs no turn. */
  look: string;
  inventory: string;
  /** The valid actions, in the engine's shuffled order. */
  validActions: readonly string[];
  score: Score;
}

export interface TextGame {
  readonly taskDescription: string;
  /** Numbers that describe the world's generation. */
  readonly properties: Readonly<Record<string, number>>;
  /** Returns the first turn. It must be called once, before any action. */
  begin(): GameTurn;
  /** Plays an action, which must be one of the last turn's valid actions. */
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
  goldPath(choice: WorldChoice): string[];
}
