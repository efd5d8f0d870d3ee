// Finds the gold path (the expert's actions) of TextWorld Commonsense: takes misplaced things, puts down what belongs here, and
// walks to the nearest room where either is possible; unlike TextWorldExpress's random walk, it always ends.
import type { TwcGame } from './twc.js';
import { visibleThings, type Room, type Thing } from '../things.js';
import { walkTo } from './walking.js';

export function twcGoldPath(game: TwcGame): string[] {
  const path: string[] = [];
  let isDone = false;
  const act = (action: string) => {
    path.push(action);
    isDone = game.act(action).score.won;
  };
  isDone = game.begin().score.won;
  const seen = new Set<Room>();
  while (!isDone) {
    seen.add(game.room);
    takeStrays(game, act);
    putAway(game, act);
    const helps = (room: Room) => !seen.has(room) || game.inventory.contents.some((thing) => hasHomeOf(room, thing));
    if (isDone || !walkTo(game, helps, act)) break;
  }
  return path;
}

function takeStrays(game: TwcGame, act: (action: string) => void): void {
  const lying = game.strays.filter((stray) => stray.holder === game.room);
  for (const stray of lying) act(`take ${stray.name}`);
}

function putAway(game: TwcGame, act: (action: string) => void): void {
  for (const thing of [...game.inventory.contents]) {
    const home = visibleThings(game.room).find(({ name }) => thing.homes.includes(name));
    if (home === undefined) continue;
    if (!home.isOpen) act(`open ${home.name}`);
    act(`put ${thing.name} in ${home.name}`);
  }
}

const hasHomeOf = (room: Room, thing: Thing) => room.contents.some(({ name }) => thing.homes.includes(name));
