// Plays Guess My City: the agent asks the oracle free-text questions to find out which city the oracle comes from. The reward is
// −1 per turn and 0 on the winning turn; a game has at most 20 turns. Source: ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit
// 7c771a7, described in guess_my_city.md.
import { GuessingGame } from '../guessing-game/guessing-game.js';
import type { Oracle } from '../oracle.js';
import { selectCities } from './cities.js';
import type { City } from './city-table.js';
import { plainText } from './gazetteer.js';
import type { GuessMyCityOptions } from './options.js';
import { cannotAnswer, guarded, namesCity } from './rules.js';
import { CityRulesOracle, doesNotKnow } from './rules-oracle.js';

export class GuessMyCity extends GuessingGame<City> {
  constructor(options: GuessMyCityOptions, oracle: Oracle<City> = new CityRulesOracle()) {
    super({
      game: 'guess_my_city',
      infoKey: 'city',
      secrets: selectCities(options.cities),
      envIdx: options.envIdx,
      choice: options.cityChoice,
      maxTurns: options.maxTurns,
      id: oracle.id,
      answer: async (city, question) => guarded(oneLine(await oracle.answer(city, question)), city.name),
      wins: (city, question) => namesCity(question, city.name),
      isInvalid: (answer) => answer === doesNotKnow || answer === cannotAnswer,
      repetitionKey: plainText,
    });
  }
}

/** Joins a text to one line, since line breaks separate the entries of the game's history. */
const oneLine = (said: string): string => said.replace(/\s*\n\s*/g, ' ').trim();
