// Playing many episodes: order, seeds, and what a broken environment does to the others.
import type { Player } from '../src/index.js';
import { play } from '../src/index.js';
import { EchoGame } from './echo-game.js';

/** Answers with the first colour whatever is shown. */
const stubborn: Player = {
  act: async (requests) => requests.map(() => ({ action: 'red' })),
  close: async () => {},
};
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
const options = { seed: 7, slots: 3, sampling };
const episodes = { purpose: 'test', split: 'test', firstEpisode: 20, episodes: 12 } as const;
const hooks = { progress: () => {} };

/** Breaks in the first step of every episode whose seed `isBroken`. */
function fragile(isBroken: (seed: number) => boolean) {
  return () => {
    const game = new EchoGame();
    let broken = false;
    return {
      reset: async (reset?: { seed?: number }) => {
        broken = isBroken(reset!.seed!);
        return game.reset(reset);
      },
      step: async (action: string) => {
        if (broken) throw new Error('the server is gone');
        return game.step(action);
      },
      close: () => game.close(),
    };
  };
}

const playWith = (isBroken: (seed: number) => boolean) =>
  play({ makeEnv: fragile(isBroken), hooks }, async () => stubborn, options, episodes);

test('episodes come in order with seeds that follow from their numbers', async () => {
  const trajectories = await playWith(() => false);
  expect(trajectories.map(({ episode }) => episode)).toEqual(Array.from({ length: 12 }, (_, i) => 20 + i));
  expect(new Set(trajectories.map(({ seed }) => seed)).size).toBe(12);
  expect(await playWith(() => false)).toEqual(trajectories);
});

test('a broken environment ends its own episode only', async () => {
  const whole = await playWith(() => false);
  const lost = whole[4].seed;
  const rest = await playWith((seed) => seed === lost);
  expect(rest).toEqual(whole.filter(({ seed }) => seed !== lost));
});

test('without an environment nothing can be played', async () => {
  const playing = play({ makeEnv: null, hooks }, async () => stubborn, options, episodes);
  await expect(playing).rejects.toThrow('no test episodes can be played: this run has no environment');
});

test('when most episodes break, the run stops with the reason', async () => {
  await expect(playWith(() => true)).rejects.toThrow('the server is gone');
});

test('a player without an answer ends its episode only; too many of them stop the run at once', async () => {
  const whole = await playWith(() => false);
  const asked = { turns: 0 };
  const silent = (isMute: (seed: number) => boolean): Player => ({
    ...stubborn,
    act: async (requests) => {
      asked.turns += requests.length;
      return requests.map(({ rng }) => (isMute(rng.uint32()) ? new Error('status 500') : { action: 'red' }));
    },
  });
  const failures: Error[] = [];
  const onFailure = (error: Error) => failures.push(error);
  const run = { makeEnv: () => new EchoGame(), hooks, onFailure };
  let calls = 0;
  const once = silent(() => ++calls === 5);
  const rest = await play(run, async () => once, options, episodes);
  expect(rest).toHaveLength(11);
  expect(whole).toEqual(expect.arrayContaining(rest));
  expect(failures.map(({ message }) => message)).toEqual(['status 500']);

  asked.turns = 0;
  const never = play(run, async () => silent(() => true), { ...options, maxFailureShare: 0.25 }, episodes);
  await expect(never).rejects.toThrow(
    /^4 of 12 episodes \(test\) failed, .* max_failure_share 0.25 .*\n {2}the first: status 500$/,
  );
  expect(asked.turns).toBeLessThanOrEqual(6); // two rounds of three slots
});
