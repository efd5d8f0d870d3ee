import { compacting, parallel, subAgent } from '../../test/made-rollouts.js';
import { callTree, saysError } from './agent-tree.js';
import type { StoredEpisode } from './turns.js';

const parents = (tree: ReturnType<typeof callTree>) => tree.calls.map(({ parent }) => parent);

/** Makes an episode whose turns are the calls with these numbers. */
const episodeOf = (calls: readonly number[]): StoredEpisode => ({
  episode: 0,
  iteration: 1,
  seed: 0,
  episodic_return: 1,
  opening: '',
  segments: [],
  turns: calls.map((call) => ({
    action: '',
    reward: 0,
    terminated: false,
    truncated: false,
    info: { rollout: 'made', call },
  })),
});

test('a sub-agent: two prompts that begin a dialogue, each continued once; rewards of calls are theirs', () => {
  const tree = callTree(subAgent(), episodeOf([0, 1, 2, 3]));
  expect(parents(tree)).toEqual([null, null, 1, 0]);
  expect(tree.rewards).toEqual([
    { name: 'reward', value: 1 },
    { name: 'format', value: 0.5 },
  ]);
  const [plan, check, yes, last] = tree.calls;
  expect(plan.tools).toEqual([
    { name: 'delegate', arguments: '{"question":"Is 2024 a leap year?"}', result: 'Yes.', failed: false },
  ]);
  expect(check.marks).toEqual(['session checker']);
  expect(yes).toMatchObject({ rewards: [{ name: 'reward', value: 0.25 }], turn: 2, promptTokens: 7, newTokens: 1 });
  expect(yes.read).toEqual([{ speaker: 'tool calculator', text: '0' }]);
  expect(last).toMatchObject({ said: '366', answerTokens: 3, read: [{ speaker: 'tool delegate', text: 'Yes.' }] });
});

test('an attempt at a call that could be read is that call; one that could not is a call that failed', () => {
  const rollout = subAgent();
  rollout.calls[0].choices[0].message.attempts = [
    { status: 'ok', name: 'delegate', start: 0, end: 40 },
    { status: 'invalid_json', name: 'delegate', start: 41, end: 60 },
    { status: 'missing_name', name: null, start: 61, end: 70 },
  ];
  const { tools } = callTree(rollout, null).calls[0];
  expect(tools.map(({ name, failed }) => [name, failed])).toEqual([
    ['delegate', false],
    ['unreadable call', true],
    ['unreadable call', true],
  ]);
  expect(tools.slice(1).map((tool) => tool.arguments)).toEqual(['invalid_json: delegate', 'missing_name']);
});

test('a compaction: the summary continues the work, and the prompt that has it begins a dialogue; an error of a tool is seen', () => {
  const tree = callTree(compacting(), null);
  expect(parents(tree)).toEqual([null, 0, 1, null]);
  expect(tree.calls[1].tools[0]).toMatchObject({ name: 'read_file', result: 'Error: no such file', failed: true });
  expect(tree.calls[2].read.map(({ speaker }) => speaker)).toEqual(['tool read_file', 'user']);
  expect(tree.calls[3].read).toHaveLength(2);
  expect(tree.calls.every(({ turn }) => turn === undefined)).toBe(true);
});

test('parallel calls: three continue one answer; what is not learned from has no turn and says why', () => {
  const tree = callTree(parallel(), episodeOf([0, 1, 2, 4]));
  expect(parents(tree)).toEqual([null, 0, 0, 0, 2, null]);
  expect(tree.calls.map(({ turn }) => turn)).toEqual([0, 1, 2, undefined, 3, undefined]);
  expect(tree.calls.map(({ marks }) => marks)).toEqual([[], [], [], ['not delivered', 'retry 1'], [], ['auxiliary']]);
  expect(tree.calls[1].read).toEqual([{ speaker: 'user', text: 'Look at Oslo.' }]);
});

test.each([
  ['Error: no such file', true],
  ['ValueError: x', true],
  ['Traceback (most recent call last):', true],
  ['{"error": "none such"}', true],
  ['{"isError": true, "content": []}', true],
  ['{"error": null, "rows": 3}', false],
  ['3 errors were fixed', false],
  ['Errors: 0', false],
  ['{"rows": [', false],
])('%s is an error: %s', (result, expected) => {
  expect(saysError(result)).toBe(expected);
});
