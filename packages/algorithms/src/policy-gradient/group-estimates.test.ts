// Tests the advantages of GRPO, RLOO, REINFORCE++, GiGPO and HGPO against values that were calculated by hand, and their
// properties.
import { groupRelativeAdvantages, type Transition } from '@bowyer/core';
import { shapedReturn, type GroupEpisode } from './group-training.js';
import { gigpoAdvantages, type GigpoOptions } from './gigpo.js';
import { episodeAdvantages } from './grpo.js';
import { hgpoAdvantages, type HgpoOptions } from './hgpo.js';
import { normalised, tokenReturns } from './reinforce-pp.js';

/** Makes an episode whose turns have one token and a terminator each. */
function episodeOf(rewards: number[], states: string[] = rewards.map(String), group = 0): GroupEpisode {
  const transitions = rewards.map((reward, turn): Transition => ({
    observation: `history ${states.slice(0, turn + 1).join(' ')}`,
    state: states[turn],
    action: '',
    reward,
    nextObservation: '',
    terminated: turn === rewards.length - 1,
    truncated: false,
  }));
  const utterances = rewards.map((_, turn) => ({
    turn,
    start: turn + 1,
    ids: [1, 0],
    terminated: true,
    logprobs: [-1, -2],
  }));
  const trajectory = { episode: 0, seed: 0, transitions, infos: [], segments: [{ ids: [], utterances }] };
  return { trajectory, group, rewards, tokenPenalties: [] };
}

const expectClose = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(1e-6));
};

test('statistics over episodes, or over their turns as by default in verl-agent', () => {
  const episodes = [episodeOf([0, 1]), episodeOf([0, 0, 0, 0])];
  expectClose(episodeAdvantages(episodes, { scaleByStd: true, statistics: 'episode' }), [0.707106, -0.707106]);
  expectClose(episodeAdvantages(episodes, { scaleByStd: true, statistics: 'turn' }), [1.290992, -0.645496]);
});

describe('GiGPO on three episodes with shared states, γ = 0.9', () => {
  const episodes = [
    episodeOf([0, 0, 1], ['s0', 's1', 's2']),
    episodeOf([0, 0, 0, 0], ['s0', 's1', 's1', 's3']),
    episodeOf([0, 1], ['s0', 's2']),
  ];
  const base: GigpoOptions = { gamma: 0.9, advantage: { stepWeight: 1, scaleByStd: true, statistics: 'episode' } };
  const flat = (given: GroupEpisode[], changes: Partial<GigpoOptions['advantage']> = {}) =>
    gigpoAdvantages(given, { ...base, advantage: { ...base.advantage, ...changes } }).advantages.flat();

  test('mean_std_norm with statistics over episodes', () => {
    expectClose(
      flat(episodes),
      [1.06153, 1.732048, 0.577349, -2.304629, -1.732048, -1.732048, -1.154699, 1.243098, 0.577349],
    );
  });

  test('mean_std_norm with statistics over turns', () => {
    expectClose(
      flat(episodes, { statistics: 'turn' }),
      [1.327453, 1.997971, 0.843272, -2.204021, -1.63144, -1.63144, -1.054091, 1.509021, 0.843272],
    );
  });

  test('mean_norm', () => {
    expectClose(
      flat(episodes, { scaleByStd: false }),
      [0.573333, 0.933333, 0.333333, -1.236667, -0.966667, -0.966667, -0.666667, 0.663333, 0.333333],
    );
  });

  test('the order of episodes and the names of states change nothing', () => {
    const [one, two, three] = gigpoAdvantages(episodes, base).advantages;
    expect(gigpoAdvantages([episodes[2], episodes[0], episodes[1]], base).advantages).toEqual([three, one, two]);
    const renamed = episodes.map(({ rewards, trajectory }) =>
      episodeOf(
        rewards,
        trajectory.transitions.map(({ state }) => `room ${state}!`),
      ),
    );
    expect(flat(renamed)).toEqual(flat(episodes));
  });

  test('where no state repeats, or with w = 0, it is GRPO', () => {
    const unique = episodes.map(({ rewards }, e) =>
      episodeOf(
        rewards,
        rewards.map((_, turn) => `${e} ${turn}`),
      ),
    );
    const grpo = episodeAdvantages(episodes, base.advantage);
    const expected = episodes.flatMap(({ rewards }, e) => rewards.map(() => grpo[e]));
    expect(flat(unique)).toEqual(expected);
    expect(flat(episodes, { stepWeight: 0 })).toEqual(expected);
    expect(gigpoAdvantages(unique, base).metrics['groups/anchor_singleton_share']).toBe(1);
  });

  test('states are compared within one group of episodes only; without a state of its own the observation is one', () => {
    const apart = episodes.map(({ rewards, trajectory }, group) => ({
      ...episodeOf(
        rewards,
        trajectory.transitions.map(({ state }) => state!),
      ),
      group,
    }));
    expect(gigpoAdvantages(apart, base).metrics['groups/anchor_size_max']).toBe(2); // s1 occurs twice in the second episode
    for (const { trajectory } of apart) for (const turn of trajectory.transitions) delete turn.state;
    expect(gigpoAdvantages(apart, base).metrics['groups/anchor_size_max']).toBe(1);
  });
});

describe('HGPO on the same episodes', () => {
  const episodes = [
    episodeOf([0, 0, 1], ['s0', 's1', 's2']),
    episodeOf([0, 0, 0, 0], ['s0', 's1', 's1', 's3']),
    episodeOf([0, 1], ['s0', 's2']),
  ];
  const base: HgpoOptions = {
    gamma: 0.9,
    advantage: {
      historyLength: 1,
      historyExponent: 1,
      baseGroup: false,
      scaleByStd: false,
      statistics: 'episode',
    },
  };
  const flat = (changes: Partial<HgpoOptions['advantage']> = {}, given = episodes, gamma = 0.9) =>
    hgpoAdvantages(given, { gamma, advantage: { ...base.advantage, ...changes } }).advantages.flat();

  test('mean_norm: states alone weigh 2, states with the one before them 3', () => {
    // (s0, s1) of two episodes: returns 0.9 and 0, so ±0.45; s1 of three turns: 0.6, −0.3, −0.3; (2 · 0.6 + 3 · 0.45) / 5 = 0.51
    expectClose(flat(), [0.24, 0.51, 0, -0.57, -0.39, -0.3, 0, 0.33, 0]);
  });

  test('mean_std_norm, by the deviation of the population', () => {
    expectClose(flat({ scaleByStd: true }), [0.592998, 1.165683, 0, -1.40837, -0.882841, -0.707105, 0, 0.815372, 0]);
  });

  test('without a history it is the comparison of states alone; all count alike with α = 0', () => {
    expectClose(flat({ historyLength: 0 }), [0.24, 0.6, 0, -0.57, -0.3, -0.3, 0, 0.33, 0]);
    expectClose(flat({ historyExponent: 0 }), [0.24, 0.525, 0, -0.57, -0.375, -0.3, 0, 0.33, 0]);
  });

  test('a longer history adds what is shared that far; beyond the first turn there is none', () => {
    // A fourth episode with the states of the second one: (s0, s1, s1) occurs twice, with returns 0 and 1 at the third turn
    const more = [...episodes, episodeOf([0, 0, 1, 0], ['s0', 's1', 's1', 's3'])];
    const [, , , , , third] = flat({ historyLength: 2 }, more, 1);
    // s1: returns 1, 0, 0, 1, 1, mean 0.6; (s1, s1) and (s0, s1, s1): 0 and 1, mean 0.5
    expectClose([third], [(2 * -0.6 + 3 * -0.5 + 4 * -0.5) / 9]);
  });

  test('with the base group the episode counts too, also where states repeat nowhere', () => {
    // GRPO's advantages: 1/3, −2/3, 1/3
    const [first, second, third] = flat({ baseGroup: true });
    expectClose([first, second, third], [(1 / 3 + 2 * 0.24) / 3, (1 / 3 + 2 * 0.6 + 3 * 0.45) / 6, 1 / 3]);
    const unique = episodes.map(({ rewards }, e) =>
      episodeOf(
        rewards,
        rewards.map((_, turn) => `${e} ${turn}`),
      ),
    );
    expect(flat({}, unique)).toEqual(new Array<number>(9).fill(0));
    expectClose(flat({ baseGroup: true }, unique).slice(0, 4), [1 / 3, 1 / 3, 1 / 3, -2 / 3]);
  });

  test('the order of episodes and the names of states change nothing, and groups are apart', () => {
    const [one, two, three] = hgpoAdvantages(episodes, base).advantages;
    expect(hgpoAdvantages([episodes[2], episodes[0], episodes[1]], base).advantages).toEqual([three, one, two]);
    const renamed = episodes.map(({ rewards, trajectory }, group) => ({
      ...episodeOf(
        rewards,
        trajectory.transitions.map(({ state }) => `room ${state}!`),
      ),
      group,
    }));
    const together = renamed.map((episode) => ({ ...episode, group: 0 }));
    expect(flat({}, together)).toEqual(flat());
    // s1 occurs twice in the second episode, with the same return
    expect(flat({}, renamed)).toEqual(new Array<number>(9).fill(0));
  });

  test('metrics say how much was compared', () => {
    const { metrics } = hgpoAdvantages(episodes, base);
    expect(metrics['groups/anchor_singleton_share']).toBeCloseTo(1 / 4); // only s3 occurs once
    expect(metrics['groups/history_shared_share']).toBeCloseTo(2 / 9); // (s0, s1) twice
    expect(metrics['groups/silent_turn_share']).toBeCloseTo(3 / 9);
  });
});

test('scaling all returns by 10 changes GRPO by little and RLOO tenfold', () => {
  const [ones, tens] = [1, 10].map((scale) => [1, 0.5, 0, 0].map((value) => episodeOf([0, scale * value])));
  const rloo = (episodes: GroupEpisode[]) =>
    groupRelativeAdvantages(episodes.map(shapedReturn), [0, 0, 0, 0], { baseline: 'others', scaleEpsilon: null });
  const grpo = (episodes: GroupEpisode[]) => episodeAdvantages(episodes, { scaleByStd: true, statistics: 'episode' });
  grpo(tens).forEach((advantage, i) => expect(Math.abs(advantage - grpo(ones)[i])).toBeLessThan(1e-5));
  expectClose(
    [...rloo(tens)],
    [...rloo(ones)].map((advantage) => 10 * advantage),
  );
});

describe('REINFORCE++', () => {
  const plain = { gamma: 0.5, advantage: { baseline: 'none' }, actor: { scoreTerminator: true } } as const;

  test('a token has the discounted rewards of its turn and later ones', () => {
    const returns = tokenReturns([episodeOf([0, 0, 1])], plain);
    expect(returns[0].map((tokens) => [...tokens])).toEqual([
      [0.25, 0.25],
      [0.5, 0.5],
      [1, 1],
    ]);
    expect(tokenReturns([episodeOf([1])], { ...plain, actor: { scoreTerminator: false } })[0][0]).toHaveLength(1);
  });

  test('of the KL penalties a token has its own and those of later tokens', () => {
    const episode = { ...episodeOf([0, 1]), tokenPenalties: [Float32Array.of(0.5, 0.25), Float32Array.of(0.125, 0)] };
    episode.rewards = [0 - 0.75, 1 - 0.125]; // as the training loop makes them
    const returns = tokenReturns([episode], { ...plain, gamma: 1 });
    expect(returns[0].map((tokens) => [...tokens])).toEqual([
      [0.125, 0.625],
      [0.875, 1],
    ]);
  });

  test('the batch has mean 0 and deviation 1 over its tokens; with advantage.baseline=group each group is centred first', () => {
    const episodes = [episodeOf([4]), episodeOf([2]), episodeOf([10], ['a'], 1), episodeOf([10], ['a'], 1)];
    const grouped = tokenReturns(episodes, { ...plain, advantage: { baseline: 'group' } });
    expect(grouped.map(([tokens]) => tokens[0])).toEqual([1, -1, 0, 0]);
    const values = normalised(grouped).flatMap(([tokens]) => [...tokens]);
    expectClose(
      values,
      [1, 1, -1, -1, 0, 0, 0, 0].map((value) => value / Math.sqrt(4 / 7)),
    );
    expect(normalised(tokenReturns([episodeOf([3]), episodeOf([3])], plain)).flat(2)).toEqual(
      [0, 1].map(() => Float32Array.of(0, 0)),
    );
  });
});
