// Tests properties of every game over many seeds, with the built-in content.
import { builtInContent } from '../content/built-in-content.js';
import { folds, foldSeeds, parseParameters } from '../parameters.js';
import { JavaRandom } from '../java-random.js';
import { WorldGenerationError } from '../world-generation-error.js';
import { gameKinds } from './index.js';
import type { GameKind, WorldChoice } from './text-game.js';

const choose = (kind: GameKind, seed: number, fold: WorldChoice['fold'], params = ''): WorldChoice => ({
  seed,
  fold,
  parameters: parseParameters(kind.name, kind.parameters, params),
  content: builtInContent(),
});

const table = gameKinds.map((kind) => [kind.name, kind] as const);

/** Plays a world's gold path, and returns the last turn; invalid actions are skipped, as the wrapper does. */
function playGold(kind: GameKind, choice: WorldChoice) {
  const game = kind.make(choice);
  let turn = game.begin();
  for (const action of kind.goldPath(choice)) if (turn.validActions.includes(action)) turn = game.act(action);
  return turn;
}

test.each(table)('%s: the gold path wins in 240 worlds', (_, kind) => {
  const lost = [];
  for (let i = 0; i < 240; i++) {
    const fold = folds[i % folds.length];
    const seed = foldSeeds[fold] + i;
    const { score } = playGold(kind, choose(kind, seed, fold));
    if (!score.won || score.failed || score.normalized !== 1) lost.push({ seed, fold, score });
  }
  expect(lost).toEqual([]);
});

test.each([
  ['cookingworld', 'numLocations=1,numIngredients=5,numDistractorItems=0'],
  ['cookingworld', 'numLocations=2,includeDoors=0,limitInventorySize=0'],
  ['twc', 'numLocations=1'],
  ['twc', 'numLocations=3,numItemsToPutAway=1,includeDoors=1,limitInventorySize=1'],
  ['coin', 'numLocations=1'],
  ['coin', 'numLocations=8,numDistractorItems=10,includeDoors=0'],
  ['mapreader', 'numLocations=30,maxDistanceApart=8,includeDoors=1,limitInventorySize=1'],
  ['simonsays', 'gameLength=40,numDistractors=0,memorization=1'],
])('%s with %s: the gold path wins', (name, params) => {
  const kind = gameKinds.find((candidate) => candidate.name === name)!;
  for (let seed = 0; seed < 60; seed++) {
    expect({ seed, ...playGold(kind, choose(kind, seed, 'test', params)).score }).toMatchObject({ seed, won: true });
  }
});

test.each(table)(
  '%s: a random player meets only accepted actions, scores in [−1, 1], and one world per seed',
  (_, kind) => {
    for (let seed = 0; seed < 25; seed++) {
      const choice = choose(kind, seed, 'dev');
      const [game, twin] = [kind.make(choice), kind.make(choice)];
      const player = new JavaRandom(seed);
      let turn = game.begin();
      expect(twin.begin()).toEqual(turn);
      for (let i = 0; i < 40 && !turn.score.won && !turn.score.failed; i++) {
        const action = player.choice(turn.validActions);
        turn = game.act(action);
        expect(twin.act(action)).toEqual(turn);
        expect(Math.abs(turn.score.normalized)).toBeLessThanOrEqual(1);
      }
    }
  },
);

test('a world that its rules cannot make is refused with the reason', () => {
  const mapreader = gameKinds.find((kind) => kind.name === 'mapreader')!;
  const make = (params: string) => () => mapreader.make(choose(mapreader, 3, 'train', params));
  expect(make('numLocations=49')).toThrow(WorldGenerationError);
  expect(make('numLocations=1')).toThrow(
    /^No world can be made from this seed and these parameters: no two of the 1 rooms are \d rooms apart/,
  );
});
