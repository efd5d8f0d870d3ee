import { Rng } from '@bowyer/core';
import type { Env, StepResult } from './contract/env.js';
import { playEpisodes, type ReadyTurn } from './play-episodes.js';
import { makeEnv } from './registry.js';

const lines = [
  'is it an animal?',
  'is it food?',
  'is it a dog?',
  'is it a piano?',
  'is it a banana?',
  'do you wear it?',
];

/** Makes a policy with one generator for all slots, so that only reproducible batches give reproducible games. */
function randomPolicy(seed: number) {
  const rng = new Rng(seed);
  return (ready: ReadyTurn[]) => ready.map(() => rng.choice(lines));
}

const play = (slots: number, act = randomPolicy(1)) =>
  playEpisodes({
    makeEnv: () => makeEnv('twenty_questions', { words: 'subset10', maxTurns: 6 }),
    slots,
    episodes: 17,
    seeds: (episode) => 100 + episode,
    act,
  });

test('same seeds, same trajectories, although all slots share one generator', async () => {
  expect(await play(4)).toEqual(await play(4));
});

test('a batched run plays the games of a run with one slot when the policy looks at the turn alone', async () => {
  const byTurn = (ready: ReadyTurn[]) => ready.map(({ turn, episode }) => lines[(turn + episode) % lines.length]);
  const games = (await play(5, byTurn)).map(({ slot: _, ...game }) => game);
  expect(games).toEqual((await play(1, byTurn)).map(({ slot: _, ...game }) => game));
});

test('results come in episode order with their seeds, returns and linked observations', async () => {
  const episodes = await play(4);
  expect(episodes.map(({ episode }) => episode)).toEqual(Array.from({ length: 17 }, (_, i) => i));
  for (const { seed, episode, turns, episodicReturn, error } of episodes) {
    expect(seed).toBe(100 + episode);
    expect(error).toBeNull();
    expect(episodicReturn).toBe(turns.reduce((sum, { reward }) => sum + reward, 0));
    turns.slice(1).forEach(({ observation }, i) => expect(observation).toBe(turns[i].nextObservation));
    expect(turns.at(-1)!.terminated).toBe(true);
  }
});

/** Ends after `length` steps; each step waits for `gate`, or throws where the test says so. */
class Scripted implements Env {
  #step = 0;
  constructor(
    private readonly length: number,
    private readonly gate: () => Promise<void> = async () => {},
    private readonly throwAt = Infinity,
  ) {}
  async reset() {
    this.#step = 0;
    return { observation: 'start', info: {} };
  }
  async step(): Promise<StepResult> {
    await this.gate();
    this.#step++;
    if (this.#step >= this.throwAt) throw new Error('server gone');
    return {
      observation: `${this.#step}`,
      reward: 1,
      terminated: this.#step >= this.length,
      truncated: false,
      info: {},
    };
  }
  async close() {}
}

test('a slow environment does not stall the others', async () => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => (release = resolve));
  const endings: number[] = [];
  const episodes = await playEpisodes({
    makeEnv: (slot) => (slot === 0 ? new Scripted(1, () => slow) : new Scripted(2)),
    slots: 2,
    episodes: 5,
    seeds: (episode) => episode,
    act: (ready) => ready.map(() => 'go'),
    onEpisode: ({ episode }) => {
      endings.push(episode);
      // Slot 0 is released only when slot 1 has played all other episodes.
      if (endings.length === 4) release();
    },
  });
  expect(endings).toEqual([1, 2, 3, 4, 0]);
  expect(episodes.map(({ episodicReturn }) => episodicReturn)).toEqual([1, 2, 2, 2, 2]);
});

test('a broken environment fails its own episode, keeps its turns, and is made again', async () => {
  let made = 0;
  const episodes = await playEpisodes({
    makeEnv: () => new Scripted(3, undefined, made++ === 1 ? 2 : Infinity),
    slots: 2,
    episodes: 6,
    seeds: (episode) => episode,
    act: (ready) => ready.map(() => 'go'),
  });
  expect(episodes.map(({ error }) => error?.message ?? null)).toEqual([null, 'server gone', null, null, null, null]);
  expect(episodes[1].turns).toHaveLength(1);
  expect(made).toBe(3);
});

test('a slot that breaks again and again is retired and leaves the episodes to the others', async () => {
  const episodes = await playEpisodes({
    makeEnv: (slot) => {
      if (slot === 0) throw new Error('connection refused');
      return new Scripted(2);
    },
    slots: 2,
    episodes: 20,
    seeds: (episode) => episode,
    act: (ready) => ready.map(() => 'go'),
    retireAfter: 3,
  });
  expect(episodes.filter(({ error }) => error !== null)).toHaveLength(3);
});

test('when every slot is retired the remaining episodes come back failed', async () => {
  const episodes = await playEpisodes({
    makeEnv: () => Promise.reject(new Error('connection refused')),
    slots: 2,
    episodes: 10,
    seeds: (episode) => episode,
    act: () => [],
    retireAfter: 2,
  });
  expect(episodes).toHaveLength(10);
  expect(episodes[0].error!.message).toBe('connection refused');
  expect(episodes[9].error!.message).toMatch(/not played: every slot was retired.*connection refused/);
});

test('an error of the policy or of a listener ends the run', async () => {
  const run = (act: (ready: ReadyTurn[]) => string[]) =>
    playEpisodes({ makeEnv: () => new Scripted(2), slots: 2, episodes: 3, seeds: (e) => e, act });
  await expect(
    run(() => {
      throw new Error('no policy');
    }),
  ).rejects.toThrow('no policy');
  await expect(run(() => ['one'])).rejects.toThrow('act returned 1 decisions for 2 ready turns');
});

test('data that a policy adds to a decision is kept with the turn', async () => {
  const [episode] = await playEpisodes<number[]>({
    makeEnv: () => new Scripted(2),
    slots: 1,
    episodes: 1,
    seeds: () => 0,
    act: (ready) => ready.map(({ turn }) => ({ action: 'go', data: [turn] })),
  });
  expect(episode.turns.map(({ data }) => data)).toEqual([[0], [1]]);
});

test('an error in place of a decision ends the episode; its environment plays on', async () => {
  let made = 0;
  const episodes = await playEpisodes({
    makeEnv: () => {
      made++;
      return makeEnv('twenty_questions', { words: 'subset10', maxTurns: 3 });
    },
    slots: 2,
    episodes: 9,
    seeds: (episode) => episode,
    act: (ready) => ready.map(({ episode, turn }) => (episode < 7 && turn === 1 ? new Error('mute') : lines[0])),
  });
  expect(episodes.map(({ error }) => error?.message)).toEqual([
    ...new Array<string>(7).fill('mute'),
    undefined,
    undefined,
  ]);
  expect(episodes.map(({ turns }) => turns.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 3, 3]);
  expect(made).toBe(2);
});
