import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEnv } from '../contract/check-env.js';
import { environmentProblems } from '../config-keys.js';
import { environmentInfo, makeEnv, withDefaults } from '../registry.js';
import { selectWords } from './word-list.js';

const folder = mkdtempSync(join(tmpdir(), 'own-words-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (table: unknown): string => {
  const path = join(folder, 'words.json');
  writeFileSync(path, typeof table === 'string' ? table : JSON.stringify(table));
  return path;
};

const questions = ['is it alive', 'does it fly?', 'does it purr?'];
const row = (...answers: unknown[]) => Object.fromEntries(questions.map((question, i) => [question, answers[i]]));
const table = {
  cat: row(true, false, true),
  Bird: row(true, true, false),
  kite: row(false, true, false),
  stone: row(false, false, false),
};

const replies = async (secret: number, asked: readonly string[], words = file(table)) => {
  const env = makeEnv('twenty_questions', { words, envIdx: secret });
  await env.reset({ seed: 0 });
  let observation = '';
  for (const question of asked) ({ observation } = await env.step(question));
  return observation.split('\n').slice(1, -1);
};

test('the table answers its questions in any wording of the same form, their negations and guesses', async () => {
  const asked = [
    'Is it alive?',
    'is it a living thing?',
    'can it fly?',
    "doesn't it fly?",
    'is it not alive?',
    'is it a cat?',
  ];
  expect(await replies(1, [...asked, 'is it a bird?'])).toEqual([
    'Is it alive? Yes.',
    'is it a living thing? Invalid Question.',
    'can it fly? Yes.',
    "doesn't it fly? Yes.",
    'is it not alive? No.',
    'is it a cat? No.',
    'is it a bird? Yes.',
  ]);
});

test('words that are also in the built-in list follow only the user’s table', async () => {
  const words = file({ boat: { 'is it red?': true }, ship: { 'is it red?': false } });
  expect(await replies(0, ['is it a ship?', 'is it made of metal?', 'is it red?'], words)).toEqual([
    'is it a ship? No.',
    'is it made of metal? Invalid Question.',
    'is it red? Yes.',
  ]);
});

test('the contract holds, and the expert reaches the optimum', async () => {
  const options = withDefaults(environmentInfo('twenty_questions').schema, { words: file(table) }, 'twenty_questions');
  const unit = environmentInfo('twenty_questions');
  await expect(
    checkEnv(() => makeEnv('twenty_questions', options), { actions: ['is it alive?', 'is it a cat?', 'hello', ''] }),
  ).resolves.toBeDefined();
  const expert = { noise: 0, attributes: null, wordings: 2, maxUnclear: 0.08, ties: 'drawn' };
  // One split of the four words and then a guess in each half returns -(1 + 2 + 1 + 2) / 4.
  expect(unit.evaluation!.optimalReturn!(options, expert)).toBeCloseTo(-1.5);
  const { demonstrations } = await unit.demonstrations!.make(options, { count: 40, seed: 1, ...expert });
  const returns = demonstrations.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward!, 0));
  expect(Math.min(...returns)).toBeGreaterThanOrEqual(-3);
  expect(demonstrations.every(({ turns }) => turns.at(-1)!.reward === 0)).toBe(true);
});

test.each([
  ['{"cat": ', 'it cannot be read as JSON'],
  ['{"cat": {"is it red?": true, "is it red?": false}}', 'has an object with the key "is it red?" twice'],
  [['cat'], 'it is no object whose keys are words'],
  [{ cat: true, dog: false }, "the word 'cat' has no object of answers"],
  [{}, 'it has 0 of them, and a game needs two'],
  [{ cat: row(true, false, true) }, 'it has 1 of them, and a game needs two'],
  [{ ...table, dog: { 'is it alive?': true } }, "the word 'dog' has no answer to 'does it fly?'"],
  [{ ...table, dog: row(true, 'no', true) }, "the answer of 'dog' to 'does it fly?' is \"no\", neither true nor false"],
  [{ ...table, rock: row(false, false, false) }, "no question separates 'stone' and 'rock'"],
  [{ ...table, cats: row(true, true, true) }, "'is it a cat?' and 'is it a cats?' ask the same"],
  [
    { a: { 'does it fly?': true, 'can it fly?': true }, b: { 'does it fly?': false, 'can it fly?': true } },
    'ask the same',
  ],
  [{ cat: { red: true, 'red?': true }, dog: { red: false } }, "the word 'cat' has two answers to 'red?'"],
  [{ cat: { 'is it a dog?': false }, dog: { 'is it a dog?': true } }, "'is it a dog?' and 'is it a dog?' ask the same"],
  [{ cat: { 'does it like a cat?': true }, dog: { 'does it like a cat?': false } }, "ends in the word 'cat'"],
  [{ r2: { 'is it red?': true }, dog: { 'is it red?': false } }, "no question can name the word 'r2'"],
])('the table %j is refused', (given, problem) => {
  expect(() => selectWords(file(given))).toThrow(problem);
});

test('a missing file is refused by its name', () => {
  expect(() => selectWords(join(folder, 'none.json'))).toThrow('none.json cannot be played');
});

test('a word with a space needs the other test for a win', () => {
  const words = file({ 'polar bear': { 'is it white?': true }, bear: { 'is it white?': false } });
  const problems = (winTest: string) =>
    environmentProblems(
      'twenty_questions',
      withDefaults(environmentInfo('twenty_questions').schema, { words, winTest }, 'twenty_questions'),
    );
  expect(problems('lastToken')).toMatchObject([{ key: 'env.words', remedy: 'write env.win_test=suffixTokens' }]);
  expect(problems('suffixTokens')).toEqual([]);
});
