import { Rng } from '@bowyer/core';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { defaultsOf } from '../option.js';
import { environmentInfo, makeEnv } from '../registry.js';
import { demonstrationsSchema, twentyQuestionsDemonstrations, type DemonstrationOptions } from './demonstrations.js';
import { dialogueEpisode, readDialogues, splitLine, type Dialogue } from './dialogues.js';
import { InformationGainPlayer } from './expert.js';
import { questionSet } from './questions.js';
import { normalizeAnswer } from './rules.js';
import { RulesOracle } from './rules-oracle.js';
import { allWords, findWord, subset10 } from './words.js';

const defaults = {
  games: 3000,
  words: 'full',
  winTest: 'lastToken',
  maxTurns: 20,
  seed: 0,
  ...defaultsOf(demonstrationsSchema),
} as const;
const demonstrations = (options: Partial<DemonstrationOptions>) =>
  twentyQuestionsDemonstrations({ ...defaults, ...options });

const returnOf = ({ lines, correct }: Dialogue) => (correct ? 1 - lines.length : -lines.length);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The subset as the warm start plays it: 20 attributes in 2 wordings. */
const subset = { words: 'subset10', attributes: 20, wordings: 2, games: 2000, seed: 3 } as const;

test('the same seed gives the same games, another seed others', () => {
  const play = (seed: number) => demonstrations({ ...subset, games: 50, seed });
  expect(play(1)).toEqual(play(1));
  expect(play(1)).not.toEqual(play(2));
});

// The standard deviation of a return is below 3.5, so that 2,000 games give the mean to ±0.24 at three standard errors.
test.each([
  [0, -2.9],
  [0.3, -3.9],
  [0.5, -5.2],
  [0.6, -5.9],
])('noise %f on the subset returns about %f', (noise, expected) => {
  expect(Math.abs(mean(demonstrations({ ...subset, noise }).map(returnOf)) - expected)).toBeLessThan(0.5);
});

test('without noise, draws and wordings there is one game for each word', () => {
  const games = demonstrations({ games: 100, noise: 0, wordings: 1, attributes: 60, ties: 'first', seed: 1 });
  const distinct = (texts: string[]) => new Set(texts).size;
  expect(distinct(games.map(({ word, lines }) => [word[0], ...lines].join('\n')))).toBe(
    distinct(games.map(({ word }) => word[0])),
  );
});

test('every line replays in the environment to the same answers and the same end', async () => {
  const games = [
    ...demonstrations({ ...subset, games: 30, noise: 0.5 }),
    ...demonstrations({ games: 30, noise: 0.3, wordings: 2 }),
  ];
  for (const game of games) {
    const env = makeEnv('twenty_questions', { words: [game.word[0]] });
    let { observation } = await env.reset({ seed: 0 });
    let won = false;
    for (const line of game.lines) {
      const step = await env.step(splitLine(line)!.question);
      observation = step.observation;
      won = step.info.won === true;
    }
    expect(observation).toBe(`Questions:\n${game.lines.join('\n')}\n`);
    expect(won).toBe(game.correct);
  }
});

test('the table’s answers to the expert’s questions are the oracle’s own', () => {
  const oracle = new RulesOracle();
  const said = { yes: 'Yes.', no: 'No.', unclear: 'Invalid Question.' };
  const all = { words: allWords, winTest: 'lastToken', attributes: Infinity, wordings: 2, maxUnclear: 1 } as const;
  const wrong = questionSet(all).flatMap(({ wordings, truths }) =>
    wordings.filter((text) =>
      allWords.some((word, i) => normalizeAnswer(oracle.answer(word, text)) !== said[truths[i]]),
    ),
  );
  expect(wrong).toEqual([]);
});

test('on the full list the noise-free expert wins most words, and never one that the last token cannot win', () => {
  const games = demonstrations({ games: 800, noise: 0, seed: 5 });
  expect(games.filter(({ correct }) => correct).length / games.length).toBeGreaterThan(0.9);
  const unwinnable = [
    'soccer ball',
    'golf ball',
    'tennis ball',
    'tennis racket',
    'baseball bat',
    'watering can',
    'lawn mower',
  ];
  expect(games.filter(({ correct, word }) => correct && unwinnable.includes(word[0]))).toEqual([]);
});

test('a binary-search player with the rules oracle wins at least 95 % of the subset', async () => {
  const questions = questionSet({
    words: subset10,
    winTest: 'lastToken',
    attributes: Infinity,
    wordings: 1,
    maxUnclear: 0.08,
  });
  const env = makeEnv('twenty_questions', { words: 'subset10', wordChoice: 'bySeed' });
  let wins = 0;
  for (let seed = 0; seed < 100; seed++) {
    await env.reset({ seed });
    const player = new InformationGainPlayer(questions, subset10.length, 0, new Rng(seed));
    for (let ended = false; !ended;) {
      const { observation, terminated, info } = await env.step(player.ask().wordings[0]);
      player.learn(observation.endsWith('Yes.\n') ? 'yes' : observation.endsWith('No.\n') ? 'no' : 'unclear');
      ended = terminated;
      if (info.won) wins++;
    }
  }
  expect(wins).toBeGreaterThanOrEqual(95);
});

test('with 20 attributes and 2 wordings the subset needs a vocabulary of under 80 words', () => {
  const words = demonstrations({ ...subset, noise: 0.5 }).flatMap(({ lines }) =>
    lines.flatMap((line) => line.split(/[ ?.]+/)),
  );
  expect(new Set(words).size).toBeLessThan(80);
});

describe('dialogues', () => {
  const dialogue: Dialogue = { lines: ['is it alive? No.', 'is it a pen? Yes.'], correct: true, word: ['pen'] };

  test('become an episode whose pieces join to the history', () => {
    const { header, turns, won } = dialogueEpisode(dialogue);
    expect(turns).toEqual([
      { action: 'is it alive?', reply: ' No.\n', reward: -1 },
      { action: 'is it a pen?', reply: ' Yes.\n', reward: 0 },
    ]);
    expect(header + turns.map(({ action, reply }) => action + reply).join('')).toBe(
      'Questions:\nis it alive? No.\nis it a pen? Yes.\n',
    );
    expect(won).toBe(true);
  });

  test('a question that contains a newline is put on one line', () => {
    const { turns } = dialogueEpisode({ ...dialogue, lines: ['Hm.\n\nis it a pen? Yes.'] });
    expect(turns[0].action).toBe('Hm. is it a pen?');
  });

  describe('a file', () => {
    let directory: string;
    beforeAll(async () => {
      directory = newFolder();
    });
    const read = async (content: unknown) => {
      const file = join(directory, 'games.json');
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
      return readDialogues(file);
    };

    test('is read back as written', async () => {
      const games = demonstrations({ ...subset, games: 20 });
      expect(await read(games)).toEqual({ dialogues: games, leftOut: [] });
    });

    test('keys that say where a game is from are left unread, and the summary says so', async () => {
      const games = [{ ...dialogue, id: 7, source: 'lmrl', note: null }];
      expect(await read(games)).toEqual({ dialogues: [dialogue], leftOut: ['id', 'source'] });
      const set = await environmentInfo('twenty_questions').demonstrations!.read!(join(directory, 'games.json'));
      expect(set.summary).toMatch(/^1 dialogues, .*; left unread: id, source$/);
    });

    test.each([
      ['{', /games\.json: cannot be read as JSON/],
      [{}, /games\.json: contains an object, not an array/],
      [[dialogue, { ...dialogue, lines: [] }], /games\.json\[1\]\.lines: is an empty array/],
      [
        [{ ...dialogue, lines: ['is it a pen?'] }],
        /games\.json\[0\]\.lines\[0\]: 'is it a pen\?' does not end in ' Yes\.'/,
      ],
      [[{ ...dialogue, correct: 1 }], /games\.json\[0\]\.correct: is a number, not true or false/],
      [[{ ...dialogue, word: undefined }], /games\.json\[0\]\.word: is missing/],
      [
        [dialogue, { ...dialogue, weight: 0, mask: [1] }, { ...dialogue, weight: 1 }],
        /games\.json: games have keys that nothing reads, and their contents would be lost\n {2}'weight': \[1\] and 1 more\n {2}'mask': \[1\]\n {2}to do without a key, remove it: jq 'map\(del\(\.weight\)\)' FILE > NEW$/,
      ],
    ])('%j is refused with its place', async (content, message) => {
      await expect(read(content)).rejects.toThrow(message);
    });
  });
});

test('a word of two tokens can be demonstrated when the suffix counts', () => {
  expect(
    demonstrations({ words: ['lawn mower', 'dog'], winTest: 'suffixTokens', games: 20, noise: 0 }).every(
      (g) => g.correct,
    ),
  ).toBe(true);
  expect(findWord('lawn mower').variants).toEqual(['lawn mower']);
});
