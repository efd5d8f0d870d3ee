// Describes each TextWorldExpress game in one sentence, and lists sample actions of all games.

export const textWorldExpressDescriptions = {
  cookingworld:
    'Follow a recipe through up to eleven rooms: find, cut and cook its ingredients, prepare and eat the meal.',
  twc: 'Put things that lie about where such things are usually kept.',
  coin: 'Search up to eleven rooms, most behind closed doors, for a coin.',
  mapreader: 'Plan a way with a written map: fetch a coin from a named room and bring it to a box.',
  arithmetic: 'Solve an arithmetic problem and put the bundle with as many things as the answer into a box.',
  sorting: 'Put counted and measured things into a box from the smallest quantity to the largest.',
  simonsays: 'Do what Simon says, action by action or a whole script from memory.',
  peckingorder: 'Take things in the order in which an instructions book, read again each time, names them.',
} as const;

export type TextWorldExpressGame = keyof typeof textWorldExpressDescriptions;

export const textWorldExpressGames = Object.keys(textWorldExpressDescriptions) as readonly TextWorldExpressGame[];

/** Sample actions, each of which is valid in some of the games. */
export const textWorldExpressSampleActions: readonly string[] = [
  'look around',
  'inventory',
  'move north',
  'move south',
  'move east',
  'move west',
  'open door to north',
  'open door to east',
  'take cookbook',
  'read cookbook',
  'open fridge',
  'take coin',
  'read map',
  'read instructions book',
  'take math problem',
  'help',
  '',
];
