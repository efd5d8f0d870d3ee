// The games by name.
import { cookingworld } from './cookingworld.js';
import type { GameKind } from './text-game.js';

export const gameKinds: readonly GameKind[] = [cookingworld];
