import { iterationLine, iterationProgress } from './iteration-line.js';

const place = { iteration: 7, iterations: 40, seconds: { rollout: 9, policy: 3 }, left: 400 };

test('a line has the reward with its interval, what shows a collapse, and the time', () => {
  const metrics = {
    'rollout/episodic_return': 0.72,
    'rollout/episodic_return_standard_error': 0.05,
    'actor/kl_reference': 0.0131,
    'actor/update_kl': 0.0489,
    'rollout/utterance_entropy': 1.441,
    'rollout/episode_turns': 3.2,
    'rollout/tool_share': 0.88,
    'rollout/failed_call_share': 0.02,
    'groups/flat_share': 0.25,
  };
  const progress = iterationProgress(metrics, place)!;
  // 0.72 ± 1.96 · 0.05
  expect(progress).toMatchObject({ iteration: 7, iterations: 40, kl: 0.0131, seconds: 12, secondsLeft: 400, metrics });
  expect(progress.reward.low).toBeCloseTo(0.622, 6);
  expect(progress.reward.high).toBeCloseTo(0.818, 6);
  expect(iterationLine(progress)).toBe(
    'iteration 7/40: reward 0.72 (95 %: 0.62 … 0.82), KL from the start 0.013 a token, of the update 0.049 a rollout, entropy 1.44, ' +
      '3.2 answers, tools in 88 %, unreadable calls in 2 %, groups without a difference 25 %, 12 s, about 7 min left',
  );
});

test('an agent without tools has no figures of tools, and an evaluation alone has no line', () => {
  expect(iterationLine(iterationProgress({ 'rollout/episodic_return': 1 }, { ...place, left: null })!)).toBe(
    'iteration 7/40: reward 1.00 (95 %: 1.00 … 1.00), 12 s',
  );
  expect(iterationProgress({ 'eval/episodic_return': 1 }, place)).toBeNull();
});
