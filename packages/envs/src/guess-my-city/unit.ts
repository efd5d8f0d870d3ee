import type { DemonstrationSet } from '@bowyer/core';
import { historyOffer } from '../context/context-options.js';
import {
  chosenOracle,
  oracleNames,
  oracleOptionNames,
  oracleProperties,
  oracleReadWith,
  type OracleOptions,
} from '../oracle.js';
import { expertNoiseSchema, type ExpertNoise } from '../played-demonstrations.js';
import { tiesSchema, type Ties } from '../guessing-game/question-player.js';
import { secretReset, sharedSecrets } from '../guessing-game/shared-secrets.js';
import { dialogueSet } from '../guessing-game/dialogue-set.js';
import { defineEnvironment } from '../define-environment.js';
import { resetSchemaWith } from '../unit.js';
import { selectCities } from './cities.js';
import { cityAnswerTokens, guessMyCityDemonstrations } from './demonstrations.js';
import { cityDialogueEpisode, readCityDialogues, type CityDialogue } from './dialogues.js';
import { GuessMyCity } from './guess-my-city.js';
import { guessMyCitySchema, type GuessMyCityOptions } from './options.js';

export const guessMyCityUnit = defineEnvironment<GuessMyCityOptions & OracleOptions, ExpertNoise & { ties: Ties }>({
  name: 'guess_my_city',
  description: 'Find out in 20 questions of any kind which of 91 cities the oracle comes from.',
  rules: ({ cities, maxTurns }) => {
    const names = selectCities(cities).map(({ name }) => name);
    return (
      `The other player comes from one of these ${names.length} cities: ${names.join('; ')}.\n` +
      'An action is one question of any kind that does not ask for the name. Ask "Is it Tokyo?" to guess; the right guess ends the game.\n' +
      `You have ${maxTurns} questions. Each costs 1, the right guess nothing.`
    );
  },
  schema: { ...guessMyCitySchema, properties: { ...guessMyCitySchema.properties, ...oracleProperties } },
  resetSchema: resetSchemaWith(secretReset),
  make: (options, parts) => new GuessMyCity(options, chosenOracle('guess_my_city', options, parts)),
  splits: ({ cities, envIdx, cityChoice: choice }) =>
    sharedSecrets({ noun: 'cities', infoKey: 'city', count: selectCities(cities).length, envIdx, choice }),
  context: () => historyOffer,
  critic: {
    kind: 'line',
    // Demonstrations in which half of the turns are random have a mean return of −4.8 on ten cities.
    typicalReturn: () => -5,
  },
  sampleActions: [
    'Is your city located in Asia?',
    'What country is your city in?',
    'Is it Tokyo?',
    'is it Lima',
    'hello',
    '',
  ],
  config: { flatNames: { ...oracleNames, env_idx: 'envIdx' }, readWith: oracleReadWith },
  tokens: { answers: ({ cities }) => cityAnswerTokens(cities) },
  oracles: {
    t5: { prompt: (city, question) => `Your home town is ${city}.${question}`, maxNewTokens: 64 },
    openai: {
      system:
        'You play a game in which others find out where you come from. Answer the question truthfully in one short sentence, ' +
        'and never say the name of your home town in any spelling.',
      secret: (name) => `Your home town is ${name}.`,
      maxTokens: 64,
    },
  },
  demonstrations: {
    schema: { ...expertNoiseSchema, properties: { ...expertNoiseSchema.properties, ties: tiesSchema } },
    // In these demonstrations, the expert asks open questions only on random turns.
    make: async ({ cities, maxTurns }, { count: games, noise, ties, seed }) =>
      setOf(guessMyCityDemonstrations({ games, cities, maxTurns, noise, ties, seed, open: false })),
    read: async (path) => {
      const { dialogues, leftOut } = await readCityDialogues(path);
      return setOf(dialogues, leftOut);
    },
    independentOf: ['cityChoice', 'envIdx', ...oracleOptionNames],
  },
});

const setOf = (dialogues: CityDialogue[], leftOut?: readonly string[]): DemonstrationSet =>
  dialogueSet(dialogues, dialogues.map(cityDialogueEpisode), leftOut);
