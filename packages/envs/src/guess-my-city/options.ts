import { choice, integer, option } from '@bowyer/core';
import { options, type OptionsOf } from '../option.js';

export const guessMyCitySchema = options({
  cities: option<'archer91' | 'all100' | 'subset10' | readonly string[]>({
    description:
      "The cities of which episodes draw one: 'archer91' (ArCHer's list), 'all100' (with the nine that LMRL-Gym also has), 'subset10', or a list of names.",
    anyOf: [
      { type: 'string', enum: ['archer91', 'all100', 'subset10'] },
      { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
    ],
    default: 'archer91',
  }),
  maxTurns: integer(20, 'Questions in an episode, which terminates (and is not truncated) after the last one.'),
  cityChoice: choice(
    ['uniform', 'bySeed'],
    'uniform',
    "'uniform' draws the city with the seeded generator; 'bySeed' takes city number seed modulo their count.",
  ),
  envIdx: integer(null, 'Number of the city, counted from 0 in the list that `cities` names; null: any city.', {
    minimum: 0,
  }),
});

export type GuessMyCityOptions = OptionsOf<typeof guessMyCitySchema>;
