// Tests the play of many episodes: their order and seeds, and that a broken environment does not affect the others.
import { type Player, collect, play } from '../index.js';
import { horizonAt, type Horizon } from './horizon.js';
import { EchoGame } from '../../test/echo-game.js';

const stubborn: Player = {
  act: async (requests) => requests.map(() => ({ action: 'red' })),
  close: async () => {},
};
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
const options = { seed: 7, slots: 3, sampling };
const episodes = { purpose: 'test', split: 'test', firstEpisode: 20, episodes: 12 } as const;
const hooks = { progress: () => {} };

/** Makes an environment that throws in the first step of every episode with a seed for which `isBroken` is true. */
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
    /^4 of 12 episodes \(test\) failed, .* play\.max_failure_share 0.25 .*\n {2}the first: status 500$/,
  );
  expect(asked.turns).toBeLessThanOrEqual(6); // two rounds of three slots
});

test('an environment that breaks the contract ends the run at once, however many episodes may fail', async () => {
  let made = 0;
  /** The second one has a reward of the wrong type at its first step. */
  class Faulty extends EchoGame {
    readonly #isFaulty = ++made === 2;
    override async step(action: string) {
      const result = await super.step(action);
      return this.#isFaulty ? { ...result, reward: '1' as unknown as number } : result;
    }
  }
  const run = { makeEnv: () => new Faulty(), hooks };
  await expect(play(run, async () => stubborn, { ...options, maxFailureShare: 1 }, episodes)).rejects.toThrow(
    /^Faulty, step 1 of the episode of reset\(.*\): a clause of the contract of environments is broken\n {2}- rewards must be finite numbers; got the text "1"$/,
  );
});

const rollout = { ...options, rollout: { size: 6 } };
const echoes = { makeEnv: () => new EchoGame(), hooks, environment: 'echo' };
/** Answers with a colour of the sampling stream. */
const guessing: Player = {
  act: async (requests) => requests.map(({ rng }) => ({ action: rng.choice(['red', 'green', 'blue']) })),
  close: async () => {},
};

test('episodes of a group share the seed of the environment and differ in their sampling', async () => {
  const trajectories = await collect(echoes, async () => guessing, 2, rollout, { groupSize: 3 });
  const alone = await collect(echoes, async () => guessing, 2, rollout);
  expect(trajectories.map(({ group }) => group)).toEqual([4, 4, 4, 5, 5, 5]); // episodes 12 to 17
  expect(trajectories.map(({ seed }) => seed)).toEqual([0, 0, 0, 3, 3, 3].map((i) => alone[i].seed));
  const firstWords = new Set(trajectories.slice(0, 3).map(({ transitions: [{ action }] }) => action));
  expect(firstWords.size).toBeGreaterThan(1);
  expect(trajectories[0].transitions).toEqual(alone[0].transitions);
  expect(alone[0].group).toBeUndefined();
});

test('episodes of a group that begin differently are refused', async () => {
  let resets = 0;
  const unseeded = () => {
    const game = new EchoGame();
    return {
      reset: async () => ({ ...(await game.reset({ seed: 1 })), observation: `show ${resets++}\n` }),
      step: (action: string) => game.step(action),
      close: () => game.close(),
    };
  };
  const collecting = collect({ ...echoes, makeEnv: unseeded }, async () => guessing, 0, rollout, { groupSize: 2 });
  await expect(collecting).rejects.toThrow(
    /^group 0 of echo: episodes 0 and 1 were reset with the same seed \d+ and begin/,
  );
});

test('the horizon grows with the iterations; episodes that it cuts are truncated', async () => {
  const horizon: Horizon = [
    [1, 1],
    [3, 2],
  ];
  const turnsOf = async (iteration: number) => {
    const trajectories = await collect(echoes, async () => stubborn, iteration, {
      ...options,
      rollout: { size: 6, horizon },
    });
    for (const { transitions } of trajectories) {
      const { terminated, truncated, reward } = transitions.at(-1)!;
      const limit = horizonAt(horizon, iteration) ?? 3;
      expect([terminated, truncated]).toEqual(reward === 0 || limit === 3 ? [true, false] : [false, true]);
    }
    return Math.max(...trajectories.map(({ transitions }) => transitions.length));
  };
  expect([await turnsOf(0), await turnsOf(1), await turnsOf(2), await turnsOf(3)]).toEqual([3, 1, 1, 2]);
});
