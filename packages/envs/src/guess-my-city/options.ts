// The options of Guess My City, besides the oracle.

export interface GuessMyCityOptions {
  cities: 'archer91' | 'all100' | 'subset10' | readonly string[];
  maxTurns: number;
  cityChoice: 'uniform' | 'bySeed';
  envIdx: number | null;
}

export const guessMyCitySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    cities: {
      description:
        "The cities in play: 'archer91' (ArCHer's list), 'all100' (with the nine that LMRL-Gym also has), 'subset10', or a list of names.",
      anyOf: [
        { type: 'string', enum: ['archer91', 'all100', 'subset10'] },
        { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
      ],
      default: 'archer91',
    },
    maxTurns: {
      description: 'Questions allowed in an episode. Running out of them is part of the game, so it terminates.',
      type: 'integer',
      minimum: 1,
      default: 20,
    },
    cityChoice: {
      description:
        "'uniform' draws the city with the seeded generator; 'bySeed' takes city number seed modulo their count.",
      type: 'string',
      enum: ['uniform', 'bySeed'],
      default: 'uniform',
    },
    envIdx: {
      description: 'Number of the city, counted from 0 in the list in play; null: any city.',
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
    },
  },
} as const;
