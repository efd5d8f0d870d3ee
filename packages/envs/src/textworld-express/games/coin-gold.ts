// Finds the coin by repeatedly looking into the nearest unseen room. The original walks at random without a seed; this search
// knows as little of the map, and always arrives.
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
