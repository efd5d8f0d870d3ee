import type { Trajectory } from '@bowyer/core';
import type { Metrics } from '../rollout/run-hooks.js';
import { Watch } from './watch.js';

/** Makes episodes with these returns, each with a different task. */
const episodes = (returns: readonly number[]): Trajectory[] =>
  returns.map((reward, episode) => ({
    episode,
    seed: episode,
    item: `task ${episode}`,
    segments: [],
    infos: [{}],
    transitions: [{ observation: '', action: '', reward, nextObservation: '', terminated: true, truncated: false }],
  }));

/** Makes 20 episodes, of which the first `wins` are won, so that a better agent wins all tasks that another one wins. */
const won = (wins: number) => episodes(Array.from({ length: 20 }, (_, i) => (i < wins ? 1 : 0)));
const options = { rollbacks: 1, signalPatience: 3 };
const usual: Metrics = {
  'rollout/utterance_entropy': 1,
  'rollout/episode_turns': 4,
  'rollout/episodes': 20,
  'rollout/tokens': 800,
  'rollout/tool_share': 0.88,
  'groups/flat_share': 0.2,
};

test('the start is the best agent until an evaluation is better', () => {
  const watch = Watch.begin(won(10), options);
  expect(watch.evaluation(4, won(10))).toMatchObject({ isKept: false, collapse: null, metrics: { 'eval/gain': 0 } });
  expect(watch.evaluation(9, won(9))).toMatchObject({ isKept: false, collapse: null });
  const better = watch.evaluation(14, won(16));
  expect(better).toMatchObject({ isKept: true, collapse: null });
  // Six of twenty differences are 1: mean 0.3, standard error √(0.3 · 0.7 / 19) = 0.105, t₁₉ = 2.093.
  expect(better.metrics['eval/gain']).toBeCloseTo(0.3);
  expect(better.metrics['eval/gain_low']).toBeCloseTo(0.3 - 2.093 * 0.105, 2);
  expect(watch.state.kept).toBe(15);
});

test('an agent within a standard error of the highest evaluation is kept, since it was trained for longer', () => {
  const watch = Watch.begin(won(10), options);
  expect(watch.evaluation(4, won(17)).isKept).toBe(true);
  // If two of twenty are lost and one is won, the gain is −0.05 with a standard error of 0.088. If two are lost, it is −0.1 with
  // 0.069.
  const other = episodes(Array.from({ length: 20 }, (_, i) => (i > 1 && i < 18 ? 1 : 0)));
  expect(watch.evaluation(9, other).isKept).toBe(true);
  // compared with the 17 of the highest evaluation and not with the 16 of the kept agent, this is no longer equal
  expect(watch.evaluation(14, won(15)).isKept).toBe(false);
  expect(watch.state.kept).toBe(10);
  // To be kept instead of the initial agent, an agent must be better.
  expect(Watch.begin(won(10), options).evaluation(4, won(9)).isKept).toBe(false);
});

test('an agent that is worse than the highest evaluation with 99 % has collapsed: once it returns, then the run ends', () => {
  const watch = Watch.begin(won(16), options);
  // Two of twenty lost: −0.1 ± 2.86 · 0.069 contains 0.
  expect(watch.evaluation(4, won(14)).collapse).toBeNull();
  expect(watch.evaluation(9, won(6)).collapse).toEqual({
    isEnd: false,
    text:
      'iteration 10: the agent has collapsed: its mean return in the evaluation is lower than the highest one by 0.5 (99 % interval ' +
      'of the difference: -0.828 … -0.172): training returns to the start and continues with half the step',
  });
  const second = watch.evaluation(14, won(6));
  expect(second.collapse).toMatchObject({ isEnd: true });
  expect(second.collapse!.text).toContain('training ends with the start, after 1 returns with smaller steps');
  expect(watch.state.notes).toHaveLength(2);
});

test('a resumed watch continues where the checkpoint was', () => {
  const watch = Watch.begin(won(16), options);
  watch.evaluation(4, won(6));
  const state = JSON.parse(JSON.stringify(watch.state)) as typeof watch.state;
  expect(Watch.resume(state, options).evaluation(9, won(6)).collapse).toMatchObject({ isEnd: true });
});

test.each<[string, Metrics, string | null, boolean]>([
  ['nothing changed', usual, null, false],
  [
    'tools are skipped',
    { ...usual, 'rollout/tool_share': 0.25 },
    'answers that call a tool fell from 0.88 to 0.25',
    true,
  ],
  ['rollouts are cut short', { ...usual, 'rollout/episode_turns': 2 }, 'rollouts have 2 turns, and had 4', true],
  ['the format dissolves', { ...usual, 'rollout/utterance_entropy': 2.5 }, 'rose from 1 to 2.5 nats', true],
  ['answers grow', { ...usual, 'rollout/tokens': 2000 }, 'answers have 25 tokens, and had 10', true],
  ['it says the same', { ...usual, 'rollout/utterance_entropy': 0.05 }, 'fell from 1 to 0.05 nats', false],
  ['calls break', { ...usual, 'rollout/failed_call_share': 0.5 }, 'cannot be read rose from 0.1 to 0.5', true],
  [
    'an update was undone',
    { ...usual, 'actor/update_undone': 1, 'actor/update_kl': 3 },
    'by 3 nats per episode',
    false,
  ],
])('%s: the iteration in which it begins has a warning', (_, metrics, text, isAlarm) => {
  const watch = Watch.begin(won(10), options);
  watch.rollout(0, { ...usual, 'rollout/failed_call_share': 0.1 }, won(10));
  const found = watch.rollout(1, metrics, won(10));
  expect(found.warnings.map((warning) => warning.startsWith('iteration 2: ') && warning.includes(text!))).toEqual(
    text === null ? [] : [true],
  );
  expect(found.isAlarm).toBe(isAlarm);
  // The warning is given once while its reason lasts.
  expect(watch.rollout(2, metrics, won(10)).warnings).toEqual([]);
  expect(watch.rollout(3, usual, won(10)).warnings).toEqual([]);
});

test('returns that fall by three standard errors are a warning, and smaller falls are not', () => {
  const watch = Watch.begin(won(16), options);
  watch.rollout(0, usual, won(16)); // 0.8, standard error 0.092
  expect(watch.rollout(1, usual, won(12)).warnings).toEqual([]); // 0.6, standard error 0.112: −0.2 of 3 · 0.145
  expect(watch.rollout(2, usual, won(4)).warnings).toEqual([
    'iteration 3: the mean return of rollouts fell from 0.8 to 0.2',
  ]);
});

test('a run without groups that differ ends after as many iterations as its patience, and says what helps', () => {
  const watch = Watch.begin(won(20), options);
  const flat = { ...usual, 'groups/flat_share': 0.95 };
  expect(watch.rollout(0, flat, won(20)).end).toBeNull();
  expect(watch.rollout(1, flat, won(20)).end).toBeNull();
  expect(watch.rollout(2, flat, won(20)).end).toMatch(
    /^there is nothing to learn from: in 95 % of the groups of the last 3 iterations .* \(mean 1\)\n {2}where the agent is near its optimum/,
  );
  const patient = Watch.begin(won(20), { ...options, signalPatience: null });
  for (let i = 0; i < 9; i++) expect(patient.rollout(i, flat, won(20)).end).toBeNull();
});

test('an algorithm without groups has no signal where all returns are equal', () => {
  const watch = Watch.begin(won(0), options);
  const { 'groups/flat_share': _, ...alone } = usual;
  expect([0, 1, 2].map((i) => watch.rollout(i, alone, won(0)).end !== null)).toEqual([false, false, true]);
});
