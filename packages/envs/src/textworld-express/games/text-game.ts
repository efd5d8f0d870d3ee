// Defines the interface of a TextWorldExpress game, and the functions that choose and make one.
import type { Content } from '../content/content.js';
import type { Fold, ParameterSpec, ParameterValues } from '../parameters.js';

export interface Score {
  /** The score in points of the game, which differ between games. */
  raw: number;
  /** The score divided by the largest possible one; −1 after a mistake, in games where a mistake ends the game. */
  normalized: number;
  won: boolean;
  failed: boolean;
}

export interface GameTurn {
  observation: string;
  /** The description of the current room, which the agent gets without using a turn. */
  look: string;
  inventory: string;
  /** The valid actions, in the shuffled order of TextWorldExpress. */
  validActions: readonly string[];
  score: Score;
}

export interface TextGame {
  readonly taskDescription: string;
  /** The numbers from which the world was generated: its seed and parameters. */
  readonly properties: Readonly<Record<string, number>>;
  /** Returns the first turn. It must be called once, before the first action. */
  begin(): GameTurn;
  /** Plays an action, which must be one of the valid actions of the previous turn. */
  act(action: string): GameTurn;
}

export interface WorldChoice {
  /** The seed of the world, a 32-bit integer. */
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
