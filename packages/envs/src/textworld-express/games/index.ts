// Lists the TextWorldExpress games by name, in the order of TextWorldExpress's program.
import { coinGoldPath } from './coin-gold.js';
import { cookingGoldPath } from './cookingworld-gold.js';
import { mapReaderGoldPath } from './mapreader-gold.js';
import { twcGoldPath } from './twc-gold.js';
import { arithmetic } from './arithmetic.js';
import { CoinGame, coinParameters } from './coin.js';
import { CookingGame, cookingworldParameters } from './cookingworld.js';
import { MapReaderGame, mapreaderParameters } from './mapreader.js';
import { peckingorder } from './peckingorder.js';
import { simonsays } from './simonsays.js';
import { sorting } from './sorting.js';
import type { GameKind } from './text-game.js';
import { TwcGame, twcParameters } from './twc.js';

const cookingworld: GameKind = {
  name: 'cookingworld',
  parameters: cookingworldParameters,
  make: (choice) => new CookingGame(choice),
  goldPath: (choice) => cookingGoldPath(() => new CookingGame(choice), choice.seed),
};

const twc: GameKind = {
  name: 'twc',
  parameters: twcParameters,
  make: (choice) => new TwcGame(choice),
  goldPath: (choice) => twcGoldPath(new TwcGame(choice)),
};

const coin: GameKind = {
  name: 'coin',
  parameters: coinParameters,
  make: (choice) => new CoinGame(choice),
  goldPath: (choice) => coinGoldPath(new CoinGame(choice)),
};

const mapreader: GameKind = {
  name: 'mapreader',
  parameters: mapreaderParameters,
  make: (choice) => new MapReaderGame(choice),
  goldPath: (choice) => mapReaderGoldPath(new MapReaderGame(choice)),
};

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
