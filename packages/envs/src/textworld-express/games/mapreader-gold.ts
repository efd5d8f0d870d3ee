// Finds the gold path (the expert's actions) of Map Reader: reads task and map, and walks to coin and box on shortest paths.
import type { MapReaderGame } from './mapreader.js';
import { walkTo } from './walking.js';

export function mapReaderGoldPath(game: MapReaderGame): string[] {
  const path: string[] = [];
  const act = (action: string) => {
    path.push(action);
    game.act(action);
  };
  game.begin();
  act('task');
  act('read map');
  walkTo(game, (room) => room === game.coinRoom, act);
  act('take coin');
  walkTo(game, (room) => room === game.startRoom, act);
  act('put coin in box');
  return path;
}
