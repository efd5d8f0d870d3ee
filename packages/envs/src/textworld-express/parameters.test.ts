import { cookingworldParameters } from './games/cookingworld.js';
import { sorting } from './games/sorting.js';
import { parseParameters } from './parameters.js';

const parse = (text: string) => parseParameters('cookingworld', cookingworldParameters, text);

test('omitted parameters have their defaults, spaces are ignored, a flag other than 1 is off', () => {
  expect(parse('')).toEqual({
    numLocations: 11,
    numDistractorItems: 10,
    numIngredients: 3,
    includeDoors: 1,
    limitInventorySize: 1,
  });
  expect(parse(' numLocations = 3 , includeDoors=7,')).toMatchObject({ numLocations: 3, includeDoors: 0 });
});

test.each([
  [
    'numLocation=3',
    "cookingworld: unknown parameter 'numLocation'\n  in params 'numLocation=3'\n  did you mean 'numLocations'? known: numLocations, numDistractorItems, numIngredients, includeDoors, limitInventorySize",
  ],
  [
    'numLocations=12',
    "cookingworld: numLocations is 12\n  in params 'numLocations=12'\n  give an integer from 1 to 11: rooms",
  ],
  [
    'numLocations',
    "cookingworld: 'numLocations' is not of the form name=value\n  in params 'numLocations'\n  write for example numLocations=3,includeDoors=1",
  ],
  ['numLocations=two', "cookingworld: numLocations is 'two'\n  in params 'numLocations=two'\n  give an integer"],
])('%s is refused', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test('parameters of a game without parameters are refused', () => {
  expect(() => parseParameters('sorting', sorting.parameters, 'size=3')).toThrow(
    "sorting: unknown parameter 'size'\n  in params 'size=3'\n  this game has no parameters",
  );
});
