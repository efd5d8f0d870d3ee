// Finds the coin by repeatedly walking to the nearest unseen room. The original walks randomly, without a seed; this search knows
// no more of the map, but always succeeds.
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
