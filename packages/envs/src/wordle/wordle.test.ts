import { defaultsOf } from '../option.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, whenRecorded } from '@bowyer/testing';
import { recordedCalls, recordedEpisodes } from '../../test/recorded-traffic.js';
import { wordleDemonstrations } from './demonstrations.js';
import { Knowledge } from './knowledge.js';
import { agentGymWords } from './vocabulary.js';
import { Wordle, wordleSchema, type WordleOptions } from './wordle.js';

const defaults = defaultsOf(wordleSchema);
const wordle = (options: Partial<WordleOptions> = {}) => new Wordle({ ...defaults, ...options });

const calls = recordedCalls('lmrlgym');
const episodes = recordedEpisodes(calls, '/wordle');
const ifRecorded = whenRecorded('transcripts/lmrlgym.jsonl', 'transcripts/controller_rollouts.jsonl').test;

ifRecorded('draws, says, pays and ends as the recorded server did', async () => {
  expect(episodes.length).toBeGreaterThan(2);
  for (const [reset, ...steps] of episodes) {
    const env = wordle({ observation: 'answer', reward: 'agentgym' });
    const start = await env.reset({ seed: reset.request.json!.seed as number });
    expect(start.observation).toBe((reset.response.json as { observation: string }).observation);
    for (const { request, response } of steps) {
      const { observation, reward, terminated } = await env.step(request.json!.action as string);
      expect({ observation, reward, done: terminated }).toEqual(response.json);
    }
  }
});

ifRecorded('the built-in words are those that the server lists', () => {
  const listed = calls.filter(({ request }) => request.path.startsWith('/wordle/filtered_vocab'));
  expect(listed.length).toBeGreaterThan(0);
  for (const { response } of listed) expect(response.json).toEqual(agentGymWords);
});

test('a letter that occurs once is yellow at both wrong places', () => {
  // For robot against proxy, r and both o are in the word; the first o is at place 1, proxy's at place 2.
  expect(Knowledge.nothing.after('robot', 'proxy').colours('robot')).toBe('y y b y b');
});

test('knowledge keeps the facts from the answers', () => {
  const known = Knowledge.nothing.after('robot', 'ultra').after('other', 'ultra');
  expect(agentGymWords.filter((word) => known.allows(word))).toEqual(['ultra']);
});

test('a word outside the vocabulary costs a guess', async () => {
  const env = wordle({ maxGuesses: 2 });
  await env.reset({ seed: 0 });
  expect(await env.step('s t a r e')).toMatchObject({
    observation: 'Wordle:\ns t a r e\ninvalid word\n',
    reward: -1,
    terminated: false,
    info: { invalid: true },
  });
  expect(await env.step('')).toMatchObject({ reward: -1, terminated: true, info: { won: false } });
});

test('a vocabulary of one word is won at once', async () => {
  const file = join(newFolder(), 'words.txt');
  writeFileSync(file, 'house\ntoolong\nUPPER\n');
  const env = wordle({ vocabulary: file });
  await env.reset({ seed: 0 });
  expect(await env.step('house')).toMatchObject({
    reward: 0,
    terminated: true,
    observation: 'Wordle:\nh o u s e\ng g g g g\n',
  });
});

test('a vocabulary without words is refused', () => {
  expect(() => wordle({ vocabulary: import.meta.filename })).toThrow(/has no line that is one five-letter word/);
});

test('the expert solves nearly every game, a random player few', async () => {
  const wins = async (noise: number) => {
    const played = await wordleDemonstrations(defaults, { episodes: 200, noise, seed: 1 });
    return played.filter((transitions) => transitions.at(-1)!.reward === 0).length;
  };
  expect(await wins(0)).toBeGreaterThan(195);
  expect(await wins(1)).toBeLessThan(60); // six of forty words
});
