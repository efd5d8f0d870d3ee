// The games by name, in TextWorldExpress's order.
import { arithmetic } from './arithmetic.js';
import { coin } from './coin.js';
import { cookingworld } from './cookingworld.js';
import { mapreader } from './mapreader.js';
import { peckingorder } from './peckingorder.js';
import { simonsays } from './simonsays.js';
import { sorting } from './sorting.js';
import type { GameKind } from './text-game.js';
import { twc } from './twc.js';

export const gameKinds: readonly GameKind[] = [
  cookingworld,
  twc,
  coin,
  mapreader,
  arithmetic,
  sorting,
  simonsays,
  peckingorder,
];
