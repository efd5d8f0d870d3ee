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
