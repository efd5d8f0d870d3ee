import { packTurns } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { recordedCall, recordedChoice } from '../../test/recorded-call.js';
import type { RecordedCall, RecordedRollout } from '../record/recorded.js';
import { treeOf } from '../tree/build-tree.js';
import type { CallNode } from '../tree/tree.js';
import { trajectoryOf } from './trajectory-of.js';

/** Tokens from this id on are written by the agent, its tools or the template: none of them may ever be learned. */
const MARKED = 1000;

const decode = (ids: readonly number[]) => ids.map((id) => ` ${id}`).join('');
/** The masks of constrained answers: no answer here was constrained. */
const masks = {
  masksOf: () => {
    throw new Error('there are no masks');
  },
};
const options = { episode: 3, seed: 9, decode, masks };

const wholeOf = ({ call, choice }: Pick<CallNode, 'call' | 'choice'>) => [...call.promptIds, ...choice.ids];

function callOf(call: number, promptIds: number[], rng: Rng, choices = 1): RecordedCall {
  const spoken = () => Array.from({ length: rng.integer(1, 4) }, () => rng.integer(1, MARKED - 1));
  const made = Array.from({ length: choices }, (_, index) => {
    const ids = spoken();
    const terminated = rng.uniform() < 0.7;
    const all = terminated ? [...ids, 0] : ids;
    const logprobs = all.map(() => -rng.uniform());
    return { ...recordedChoice('', all), index, terminated, logprobs };
  });
  return recordedCall({ call, promptIds, choices: made });
}

/**
 * Draws a rollout in which sub-agents start from nothing, edited histories fork, calls have several choices, answers were
 * lost, and calls are auxiliary.
 */
function randomRollout(rng: Rng): RecordedRollout {
  const marked = () => Array.from({ length: rng.integer(1, 5) }, () => rng.integer(MARKED, MARKED + 20));
  const calls: RecordedCall[] = [];
  const count = rng.integer(1, 9);
  for (let call = 0; call < count; call++) {
    const kind = rng.uniform();
    const before = calls.length === 0 ? null : rng.choice(calls);
    const continued = before === null ? [] : wholeOf({ call: before, choice: rng.choice(before.choices) });
    const prompt =
      before === null || kind < 0.15
        ? marked()
        : kind < 0.8
          ? [...continued, ...marked()]
          : [...before.promptIds, ...marked()];
    const made = callOf(call, prompt, rng, rng.uniform() < 0.2 ? 2 : 1);
    calls.push({ ...made, delivered: rng.uniform() < 0.9, auxiliary: rng.uniform() < 0.1 });
  }
  return { id: 'r', calls, failures: [], rewards: [{ value: 2, name: 'reward', at: 0 }], metrics: {}, status: 'ended' };
}

test('each answer is one utterance, exactly as sampled; nothing else carries loss', () => {
  const rng = new Rng(4);
  let [answers, branched] = [0, 0];
  for (let round = 0; round < 300; round++) {
    const rollout = randomRollout(rng);
    const learned = rollout.calls
      .filter(({ delivered, auxiliary }) => delivered && !auxiliary)
      .flatMap(({ promptIds, choices }) => choices.map((choice) => ({ promptIds, choice })));
    if (learned.length === 0) continue;
    const tree = treeOf(rollout);
    const trajectory = trajectoryOf(rollout, tree, options);
    const { segments, transitions } = trajectory;

    const utterances = segments.flatMap(({ ids, utterances: own }) => own.map((one) => ({ ...one, before: ids })));
    expect(utterances.map(({ turn }) => turn).sort((a, b) => a - b)).toEqual(learned.map((_, turn) => turn));
    learned.forEach(({ promptIds, choice }, turn) => {
      const { ids, start, before, logprobs } = utterances.find((one) => one.turn === turn)!;
      expect(ids).toEqual(choice.ids);
      expect(before.slice(0, start)).toEqual(promptIds);
      expect(before.slice(start, start + choice.ids.length)).toEqual(choice.ids);
      expect(logprobs).toEqual(choice.logprobs);
    });
    const leaves = tree.branches.map((branch) => decode(wholeOf(branch.at(-1)!)));
    for (const { ids } of segments) expect(leaves).toContain(decode(ids));
    expect(transitions.map(({ terminated }) => terminated)).toEqual(learned.map((_, i) => i === learned.length - 1));

    const turns = transitions.map((_, turn) => ({ trajectory, turn }));
    const { examples } = packTurns(turns, { scoreTerminator: true });
    const scored = examples.flatMap(({ targets, weights }) => [...targets].filter((_, t) => weights[t] !== 0));
    expect(scored.filter((id) => id >= MARKED)).toEqual([]);
    expect(scored.length).toBe(learned.reduce((sum, { choice }) => sum + choice.ids.length, 0));
    answers += learned.length;
    branched += segments.length > 1 ? 1 : 0;
  }
  expect(answers).toBeGreaterThan(1000);
  expect(branched).toBeGreaterThan(100);
});

/** Returns a rollout of three calls, the second of which is a sub-agent's. */
function threeCalls(rewards: RecordedRollout['rewards']): RecordedRollout {
  const rng = new Rng(1);
  const first = callOf(0, [1001], rng);
  const other = callOf(1, [1002], rng);
  const last = callOf(2, [...wholeOf({ call: first, choice: first.choices[0] }), 1003], rng);
  return { ...randomRollout(rng), calls: [first, other, last], rewards };
}
const reward = (value: number, more: object = {}) => ({ value, name: 'reward', at: 0, ...more });
const rewardsOf = (rollout: RecordedRollout) =>
  trajectoryOf(rollout, treeOf(rollout), options).transitions.map((turn) => turn.reward);

test("the rollout's reward is on its last turn, rewards of calls are on theirs; the last of each wins", () => {
  expect(rewardsOf(threeCalls([reward(1), reward(0.5)]))).toEqual([0, 0, 0.5]);
  expect(rewardsOf(threeCalls([reward(3, { call: 1 }), reward(4, { call: 1 }), reward(1)]))).toEqual([0, 4, 1]);
  expect(rewardsOf(threeCalls([reward(2, { call: 0 })]))).toEqual([2, 0, 0]);
});

test('components of a reward and metrics are reported with the last turn, and not added to it', () => {
  const rollout = { ...threeCalls([reward(1), reward(7, { name: 'format' })]), metrics: { success: 1, steps: 3 } };
  const { transitions, infos } = trajectoryOf(rollout, treeOf(rollout), options);
  expect(transitions.map((turn) => turn.reward)).toEqual([0, 0, 1]);
  expect(infos[2]).toEqual({
    call: 2,
    rollout: 'r',
    won: true,
    metrics: { success: 1, steps: 3 },
    rewards: { format: 7 },
  });
});

test('without a reward, or without an answer that arrived, there is nothing to learn', () => {
  expect(() => rewardsOf(threeCalls([reward(7, { name: 'format' })]))).toThrow(/^rollout r ended without a reward\n/);
  const lost = threeCalls([reward(1)]);
  for (const call of lost.calls) call.delivered = false;
  expect(() => rewardsOf(lost)).toThrow(
    'rollout r: no answer of the model reached the agent, so that there is nothing to learn from',
  );
});
