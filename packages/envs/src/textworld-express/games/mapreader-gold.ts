// Finds the gold path (the expert's actions) of Map Reader: it reads the task and the map, walks to the coin and back on shortest
// paths, and puts the coin into the box.
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
