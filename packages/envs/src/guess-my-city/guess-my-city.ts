// Guess My City: find out by any questions which city the oracle comes from. Reward −1 a turn, 0 on the winning one, 20 turns.
// Source: ArCHer (Zhou et al. 2024, arXiv:2402.19446), commit 7c771a7, described in docs/environments/guess_my_city.md.
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import type { Oracle } from '../oracle.js';
import { chooseSecret } from '../secret-choice.js';
import { historyHeader, historyLine, questionOf } from '../twenty-questions/rules.js';
import { selectCities } from './cities.js';
import type { City } from './city-table.js';
import type { GuessMyCityOptions } from './options.js';
import { plainText } from './gazetteer.js';
import { cannotAnswer, guarded, namesCity } from './rules.js';
import { CityRulesOracle, doesNotKnow } from './rules-oracle.js';

/** Beside every step, for metrics. `invalid`: the oracle could not answer. `repeated`: asked before in this episode. */
export interface GuessMyCityInfo extends Record<string, unknown> {
  city: string;
  oracle: string;
  won: boolean;
  invalid: boolean;
  repeated: boolean;
}

export class GuessMyCity implements Env {
  readonly #order = new EpisodeOrder('guess_my_city');
  readonly #cities: readonly City[];
  #rng = new Rng(0);
  #city: City;
  #history = historyHeader;
  #turn = 0;
  #asked = new Set<string>();

  constructor(
    private readonly options: GuessMyCityOptions,
    private readonly oracle: Oracle<City> = new CityRulesOracle(),
  ) {
    this.#cities = selectCities(options.cities);
    const { envIdx } = options;
    if (envIdx !== null && envIdx >= this.#cities.length) {
      throw new RangeError(`guess_my_city: env_idx ${envIdx} is beyond the ${this.#cities.length} cities in play`);
    }
    this.#city = this.#cities[envIdx ?? 0];
  }

  async reset({ seed }: { seed?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const secrets = { envIdx: this.options.envIdx, choice: this.options.cityChoice, count: this.#cities.length };
    this.#city = this.#cities[chooseSecret(secrets, seed, this.#rng)];
    this.#history = historyHeader;
    this.#turn = 0;
    this.#asked = new Set();
    return { observation: this.#history, info: { city: this.#city.name, oracle: this.oracle.id } };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const question = questionOf(action);
    const { name } = this.#city;
    const said = await this.oracle.answer(this.#city, question);
    // Line ends are the history's own.
    const answer = guarded(said.replace(/\s*\n\s*/g, ' ').trim(), name);
    this.#turn++;
    this.#history += historyLine(question, answer);
    const won = namesCity(question, name);
    const terminated = won || this.#turn >= this.options.maxTurns;
    if (terminated) this.#order.end();
    const info: GuessMyCityInfo = {
      ...{ city: name, oracle: this.oracle.id, won },
      invalid: !won && (answer === doesNotKnow || answer === cannotAnswer),
      repeated: this.#isRepeated(question),
    };
    return { observation: this.#history, reward: won ? 0 : -1, terminated, truncated: false, info };
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #isRepeated(question: string): boolean {
    const key = plainText(question);
    const repeated = this.#asked.has(key);
    this.#asked.add(key);
    return repeated;
  }
}
