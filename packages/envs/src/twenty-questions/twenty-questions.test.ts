import { defaultsOf } from '../option.js';
import { makeEnv } from '../registry.js';
import { questionOf } from '../guessing-game/history.js';
import { namesWord, normalizeAnswer } from './rules.js';
import { TwentyQuestions, twentyQuestionsSchema, type TwentyQuestionsOptions } from './twenty-questions.js';
import { selectWords } from './word-list.js';
import { allWords, findWord, guessQuestion, subset10 } from './words.js';

const game = async (options: Partial<TwentyQuestionsOptions>) => {
  const env = makeEnv('twenty_questions', options);
  await env.reset({ seed: 0 });
  return env;
};

describe('words', () => {
  test('157 words in 17 categories, 28 of them with variants, 200 spellings', () => {
    expect(allWords).toHaveLength(157);
    expect(new Set(allWords.map(({ category }) => category)).size).toBe(17);
    expect(allWords.filter(({ variants }) => variants.length > 1)).toHaveLength(28);
    expect(new Set(allWords.flatMap(({ variants }) => variants)).size).toBe(200);
  });
  test('the subset is every tenth word from index 1', () => {
    expect(subset10.map(({ name }) => name)).toEqual(
      'football dog banana truck pants computer piano chair pen scissors'.split(' '),
    );
  });
  test('seven words cannot be won by their last token', () => {
    const unwinnable = allWords.filter((word) => !namesWord(guessQuestion(word), word, 'lastToken'));
    expect(unwinnable.map(({ name }) => name)).toEqual([
      'soccer ball',
      'golf ball',
      'tennis ball',
      'tennis racket',
      'baseball bat',
      'watering can',
      'lawn mower',
    ]);
  });
  test('guesses are grammatical', () => {
    expect(['apple', 'scissors', 'computer keyboard', 'dog'].map((name) => guessQuestion(findWord(name)))).toEqual([
      'is it an apple?',
      'is it scissors?',
      'is it a keyboard?',
      'is it a dog?',
    ]);
  });
  test('a word of one’s own list must be one of the 157', () => {
    expect(selectWords(['Dog', 'tv']).map(({ name }) => name)).toEqual(['dog', 'television']);
    expect(() => selectWords(['dgo'])).toThrow(/^Unknown word 'dgo'\n {2}did you mean 'dog'\?/);
    expect(() => selectWords(['tv', 'television'])).toThrow("words names 'television' twice");
    expect(() => selectWords([])).toThrow('empty list');
  });
});

describe('rules', () => {
  test.each([
    ['yes, it is', 'Yes.'],
    ['I do not know', 'No.'],
    ['maybe', 'Invalid Question.'],
    [' YES ', 'Yes.'],
  ])('the answer %j is read as %s', (said, answer) => expect(normalizeAnswer(said)).toBe(answer));

  test('the last token decides, whatever stands before it', () => {
    const pants = findWord('pants');
    expect(namesWord('Is it pants?', pants, 'lastToken')).toBe(true);
    expect(namesWord('Is it a pair of pants?', pants, 'lastToken')).toBe(true);
    expect(namesWord('Is it pants that you wear?', pants, 'lastToken')).toBe(false);
    expect(namesWord('is it a tennis racket?', findWord('tennis racket'), 'lastToken')).toBe(false);
  });
  test('with suffixTokens words of two tokens can be won, and parts of words cannot', () => {
    expect(namesWord('is it a tennis racket?', findWord('tennis racket'), 'suffixTokens')).toBe(true);
    expect(namesWord('tennis racket', findWord('tennis racket'), 'suffixTokens')).toBe(true);
    expect(namesWord('is it underpants?', findWord('pants'), 'suffixTokens')).toBe(false);
  });
  test('an action is its first non-empty line', () => {
    expect(questionOf('\n\nis it a dog?\nand more')).toBe('is it a dog?');
    expect(questionOf(' \n')).toBe('');
  });
});

describe('an episode', () => {
  test('the observation is the whole history and always ends with a newline', async () => {
    const env = makeEnv('twenty_questions', { words: ['dog'] });
    expect((await env.reset({ seed: 0 })).observation).toBe('Questions:\n');
    await env.step('is it an animal?\n');
    await env.step('flurb?');
    const { observation, reward, terminated, truncated, info } = await env.step('is it a dog?');
    expect(observation).toBe('Questions:\nis it an animal? Yes.\nflurb? Invalid Question.\nis it a dog? Yes.\n');
    expect({ reward, terminated, truncated }).toEqual({ reward: 0, terminated: true, truncated: false });
    expect(info).toEqual({ word: 'dog', oracle: 'rules-1', won: true, invalid: false, repeated: false });
  });

  test.each([
    [1, 0],
    [20, -19],
    [21, -20], // this game is lost: the 21st question is never asked
  ])('winning on turn %i returns %i', async (winningTurn, expected) => {
    const env = await game({ words: ['dog'] });
    let episodicReturn = 0;
    for (let turn = 1; ; turn++) {
      const { reward, terminated } = await env.step(turn === winningTurn ? 'is it a dog?' : 'is it a cat?');
      episodicReturn += reward;
      if (terminated) break;
    }
    expect(episodicReturn).toBe(expected);
  });

  test('naming the word wins only together with the answer Yes', async () => {
    const env = await game({ words: ['dog'] });
    expect((await env.step('is it bigger than a dog?')).info).toMatchObject({ won: false });
    expect((await env.step('why is it a dog?')).info).toMatchObject({ won: false, invalid: true });
  });

  test('a question asked before is marked, whatever its case and punctuation', async () => {
    const env = await game({ words: ['dog'] });
    expect((await env.step('is it food?')).info).toMatchObject({ repeated: false });
    expect((await env.step('Is it food ??')).info).toMatchObject({ repeated: true });
  });

  test('seeds decide the word; bySeed walks through the list', async () => {
    const wordsBySeed = async (options: Partial<TwentyQuestionsOptions>, seeds: number[]) => {
      const env = makeEnv('twenty_questions', options);
      const words: unknown[] = [];
      for (const seed of seeds) words.push((await env.reset({ seed })).info.word);
      return words;
    };
    expect(await wordsBySeed({ words: 'subset10', wordChoice: 'bySeed' }, [0, 9, 10, 21])).toEqual([
      'football',
      'scissors',
      'football',
      'dog',
    ]);
    expect(await wordsBySeed({ words: 'subset10', envIdx: 4 }, [0, 1])).toEqual(['pants', 'pants']);
    const drawn = await wordsBySeed(
      { words: 'subset10' },
      Array.from({ length: 200 }, (_, seed) => seed),
    );
    expect(new Set(drawn).size).toBe(10);
  });

  test('envIdx beyond the list is refused', () => {
    expect(() => makeEnv('twenty_questions', { words: 'subset10', envIdx: 10 })).toThrow(
      'twenty_questions: env.env_idx is 10, but the secrets are 0…9',
    );
  });

  test('another oracle can be plugged in; "no" inside a longer word counts as No', async () => {
    const oracle = { id: 'vague', answer: () => 'unknown' };
    const env = new TwentyQuestions({ ...defaultsOf(twentyQuestionsSchema), words: ['dog'] }, oracle);
    await env.reset();
    expect((await env.step('is it a dog?')).observation).toBe('Questions:\nis it a dog? No.\n');
  });
});
