// Finds the gold path (the expert's actions) of Coin Collector by repeatedly walking to the nearest room that was not seen yet.
// TextWorldExpress walks randomly and without a seed; this search does not use more knowledge of the map, but always succeeds.
import type { CoinGame } from './coin.js';
import { visibleThings } from '../things.js';
import { walkTo } from './walking.js';

export function coinGoldPath(game: CoinGame): string[] {
  const path: string[] = [];
  const act = (action: string) => {
    path.push(action);
    game.act(action);
  };
  game.begin();
  const seen = new Set([game.room]);
  while (!visibleThings(game.room).includes(game.coin)) {
    if (!walkTo(game, (room) => !seen.has(room), act)) break;
    seen.add(game.room);
  }
  act('take coin');
  return path;
}
