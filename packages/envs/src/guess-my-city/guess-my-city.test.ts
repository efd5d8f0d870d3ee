import { defaultsOf } from '../option.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, recordings, whenRecorded } from '@bowyer/testing';
import { selectCities } from './cities.js';
import { allCities } from './city-table.js';
import { countries } from './country-table.js';
import { guessMyCityDemonstrations } from './demonstrations.js';
import { cityDialogueEpisode, readCityDialogues, splitCityLine } from './dialogues.js';
import { GuessMyCity } from './guess-my-city.js';
import { guessMyCitySchema, type GuessMyCityOptions } from './options.js';
import { CityRulesOracle } from './rules-oracle.js';
import { namesCity } from './rules.js';

const defaults = defaultsOf(guessMyCitySchema);
const game = (options: Partial<GuessMyCityOptions> = {}) => new GuessMyCity({ ...defaults, ...options });

test('a game: header, questions with answers, the winning turn', async () => {
  const env = game({ cities: ['Lima'] });
  expect(await env.reset({ seed: 0 })).toMatchObject({ observation: 'Questions:\n', info: { city: 'Lima, Peru' } });
  expect(await env.step('Is your city located in Asia?\nand more')).toMatchObject({
    observation: 'Questions:\nIs your city located in Asia? No.\n',
    reward: -1,
    terminated: false,
  });
  expect(await env.step('I say it is Lima!?')).toMatchObject({ reward: 0, terminated: true, info: { won: true } });
});

test('"Is it Sao Paulo in Brazil?" wins, whatever the oracle says', async () => {
  const env = new GuessMyCity({ ...defaults, cities: ['Sao Paulo'] }, { id: 'wrong', answer: () => 'No.' });
  await env.reset({ seed: 0 });
  expect(await env.step('Is it Sao Paulo in Brazil?')).toMatchObject({
    reward: 0,
    terminated: true,
    info: { won: true },
  });
});

test('an oracle that names the city is not heard, on the winning turn either', async () => {
  const env = new GuessMyCity(
    { ...defaults, cities: ['Lima'] },
    { id: 'leaky', answer: () => 'It is LIMA,\nof course' },
  );
  await env.reset({ seed: 0 });
  expect((await env.step('Where?')).observation).toBe("Questions:\nWhere? I can't answer that question.\n");
  expect((await env.step('Lima?')).observation).toMatch(/Lima\? I can't answer that question\.\n$/);
});

test('the limit terminates; 20 lost turns return −20', async () => {
  const env = game();
  await env.reset({ seed: 1 });
  const results = [];
  for (let turn = 0; turn < 20; turn++) results.push(await env.step('hello'));
  expect(results.reduce((sum, { reward }) => sum + reward, 0)).toBe(-20);
  expect(results.at(-1)).toMatchObject({ terminated: true, truncated: false, info: { invalid: true, repeated: true } });
});

test('91 cities in 39 countries, and nine more; no name is part of another', () => {
  expect(selectCities('archer91')).toHaveLength(91);
  expect(new Set(selectCities('archer91').map(({ country }) => country)).size).toBe(39);
  expect(selectCities('all100')).toHaveLength(100);
  for (const { name } of allCities()) expect(allCities().filter(({ city }) => namesCity(city, name))).toHaveLength(1);
  for (const { country } of allCities()) expect(countries().has(country)).toBe(true);
});

test.each([
  ['Lima, Peru', 'Is your city located in South America?', 'Yes.'],
  [
    'Lima, Peru',
    'Based on the information provided, my next question would be: is your hometown located on the coast?',
    'Yes.',
  ],
  ['Lima, Peru', 'What is the predominant language spoken in your city?', 'People speak Spanish.'],
  ['Lima, Peru', 'Is Spanish spoken there?', 'Yes.'],
  ['Lima, Peru', 'Is your city the capital of Peru?', 'Yes.'],
  ['Lima, Peru', 'Is your city the capital of Chile?', 'No.'],
  ['Lima, Peru', 'What country are you from?', 'My city is in Peru.'],
  ['Lima, Peru', 'Does your country border Brazil?', 'Yes.'],
  [
    'Lima, Peru',
    'What is the traditional cuisine like in your hometown?',
    'Traditional dishes are ceviche and lomo saltado.',
  ],
  ['Lima, Peru', 'What is the currency?', 'The currency is the sol.'],
  ['Lima, Peru', 'What is the name of your city?', "I can't answer that question."],
  ['Lima, Peru', 'Do more than 5 million people live in your city?', 'Yes.'],
  ['Lima, Peru', 'Does your city have over 20,000,000 inhabitants?', 'No.'],
  ['Lima, Peru', 'Who built it?', "I don't know."],
  ['Lima, Peru', 'Is the city you are from Lima, Peru?', 'Yes.'],
  ['Lima, Peru', 'Are you from Tokyo?', 'No.'],
  ['Bombay, India', 'Is it Mumbai?', 'Yes.'],
  ['Bombay, India', 'Is your city in the western part of India?', 'Yes.'],
  ['Bombay, India', 'Is your city located in the United States?', 'No.'],
  ['Pusan, South Korea', 'Is your city located in the southeastern part of South Korea?', 'Yes.'],
  ['Pusan, South Korea', 'Is your city located in North Korea?', 'No.'],
  ['Semarang, Indonesia', 'Is your city located on the island of Java?', 'Yes.'],
  ['Medan, Indonesia', 'Is your city located on the island of Java?', 'No.'],
  ['Medan, Indonesia', 'Is your city located in Southeast Asia?', 'Yes.'],
  ['Medan, Indonesia', 'Is your city located in Southeastern Asia?', 'Yes.'],
  ['Cairo, Egypt', 'Does the Nile flow through your city?', 'Yes.'],
  ['Moscow, Russia', 'What is the climate like in your city?', 'The climate is continental with long cold winters.'],
  ['Chicago, USA', 'What is the name of the river that flows through your city?', 'The river has the name of my city.'],
  ['Chicago, USA', 'Is your city known for its skyscrapers and modern architecture?', 'Yes.'],
  ['Chicago, USA', 'Is your city located in the state of Illinois?', "I don't know."],
  [
    'Paris, France',
    'What are some popular tourist attractions in your city?',
    'Famous landmarks are the Eiffel Tower and the Louvre.',
  ],
  ['Paris, France', 'What is the population of your city?', 'About 2.1 million people live in my city.'],
  ['Paris, France', 'Is your city located on the coast or inland?', 'My city is inland.'],
])('%s: %s %s', (name, question, answer) => {
  expect(
    new CityRulesOracle().answer(
      allCities().find((city) => city.name === name)!,
      question,
    ),
  ).toBe(answer);
});

test('a steady expert wins all games, and without draws it plays each city in one way', () => {
  const options = { games: 200, cities: 'archer91', maxTurns: 20, seed: 0, ties: 'first' } as const;
  const steady = guessMyCityDemonstrations({ ...options, noise: 0, open: false });
  expect(steady.every(({ done }) => done)).toBe(true);
  const mean = steady.reduce((sum, { conversation }) => sum + conversation.length, 0) / steady.length;
  expect(mean).toBeLessThan(8); // log2 91 = 6.5 bits, and the winning guess
  expect(new Set(steady.map((game) => game.conversation.join('\n'))).size).toBe(
    new Set(steady.map(({ word }) => word)).size,
  );
});

test('the demonstrator gets the same answers as a player of the game', async () => {
  const [dialogue] = guessMyCityDemonstrations({
    games: 1,
    cities: ['Oslo', 'Lima'].slice(1),
    maxTurns: 20,
    noise: 0.5,
    seed: 2,
    open: true,
    ties: 'drawn',
  });
  const env = game({ cities: ['Lima'] });
  await env.reset({ seed: 0 });
  const { header, turns } = cityDialogueEpisode(dialogue);
  let history = header;
  for (const { action, reply, reward } of turns) {
    const result = await env.step(action);
    history += action + reply;
    expect(result).toMatchObject({ observation: history, reward });
  }
});

test('questions of the data file lose labels, numbers and preambles', () => {
  expect(splitCityLine('Based on that:\n\n"Is it big? Yes, it\nis.')).toEqual({
    question: 'Is it big?',
    answer: 'Yes, it is.',
  });
  expect(splitCityLine('Question: is it Rome? Yes')).toEqual({ question: 'is it Rome?', answer: 'Yes' });
  expect(splitCityLine('3. Is it Rome? Yes')).toEqual({ question: 'Is it Rome?', answer: 'Yes' });
});

const data = recordings('archer/guess_my_city.json');

test('an unknown key of a recorded game is refused by its name', async () => {
  const folder = newFolder();
  const file = join(folder, 'games.json');
  writeFileSync(file, JSON.stringify([{ conversation: ['Is it Lima? Yes.'], done: true, word: 'lima,peru', loss: 0 }]));
  await expect(readCityDialogues(file)).rejects.toThrow(/'loss': \[0\]/);
});

whenRecorded('archer/guess_my_city.json').test(
  "ArCHer's file: 950 games, 17,606 turns, returns as its statistics say",
  async () => {
    const { dialogues } = await readCityDialogues(data);
    const episodes = dialogues.map(cityDialogueEpisode);
    expect(episodes).toHaveLength(950);
    expect(episodes.flatMap(({ turns }) => turns)).toHaveLength(17_606);
    const returns = episodes.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward, 0));
    expect(returns.reduce((sum, value) => sum + value, 0) / 950).toBeCloseTo(-17.91, 2);
    expect(episodes.every(({ turns }) => turns.every(({ action }) => !action.includes('\n')))).toBe(true);
    // The rule for a win agrees with `done` in every game; the last question names the city.
    for (const { conversation, done, word } of dialogues)
      expect(conversation.some((line) => namesCity(line.split('?')[0], word))).toBe(done);
  },
);
