// Tests trees of rollouts as agents play them, with letters as tokens.
import { Rng } from '@bowyer/core';
import type { RecordedCall } from '../record/recorded.js';
import { treeOf } from './build-tree.js';

const idsOf = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** Returns a call with its prompt and its answers. */
function call(number: number, prompt: string, ...answers: string[]): RecordedCall {
  return {
    call: number,
    promptIds: idsOf(prompt),
    choices: answers.map((answer, index) => ({ index, ids: idsOf(answer) })),
    delivered: true,
  } as Partial<RecordedCall> as RecordedCall;
}

const branches = (...calls: RecordedCall[]) =>
  treeOf({ calls }).branches.map((branch) =>
    branch.map((node) => `${node.call.call}${'abc'[node.choice.index]}`).join(' '),
  );

test('a call continues the deepest answer that its prompt begins with', () => {
  expect(branches(call(0, 'p', 'x'), call(1, 'pxq', 'y'), call(2, 'pxqyr', 'z'))).toEqual(['0a 1a 2a']);
});

test('a sub-agent has a root of its own, and its caller continues with its result', () => {
  const calls = [call(0, 'p', 'x'), call(1, 's', 'a'), call(2, 'sat', 'b'), call(3, 'pxr', 'y')];
  expect(branches(...calls)).toEqual(['1a 2a', '0a 3a']);
});

test('a compaction asks for a summary at the end of the history, and continues from the summary alone', () => {
  const calls = [call(0, 'p', 'x'), call(1, 'pxq', 'y'), call(2, 'pxqyc', 's'), call(3, 'ns', 'z')];
  expect(branches(...calls)).toEqual(['0a 1a 2a', '3a']);
});

test('a history that was edited, or has lost its thoughts, forks at the deepest answer that it keeps', () => {
  const calls = [call(0, 'p', 'tx'), call(1, 'ptxq', 'y'), call(2, 'ptxqz', 'w'), call(3, 'pxqy', 'v')];
  expect(branches(...calls)).toEqual(['0a 1a', '0a 2a', '3a']);
});

test('each of several answers is a node; parallel calls fork', () => {
  const calls = [call(0, 'p', 'x', 'y'), call(1, 'pyq', 'a'), call(2, 'pyr', 'b')];
  expect(branches(...calls)).toEqual(['0a', '0b 1a', '0b 2a']);
});

test('where the same was sampled twice, the newest answer that reached its client is continued', () => {
  const lost = { ...call(1, 'p', 'x'), delivered: false };
  expect(branches(call(0, 'p', 'x'), lost, call(2, 'pxq', 'y'))).toEqual(['1a', '0a 2a']);
});

test('whatever is played, each answer is one node, and stands behind the tokens of its parent', () => {
  const rng = new Rng(4);
  const word = () => Array.from({ length: rng.integer(1, 3) }, () => 'ab'[rng.integer(0, 1)]).join('');
  for (let round = 0; round < 50; round++) {
    const ends = [''];
    const calls = Array.from({ length: 12 }, (_, i) => {
      const prompt = ends[rng.integer(0, ends.length - 1)] + word();
      const answers = Array.from({ length: rng.integer(1, 3) }, word);
      ends.push(...answers.map((answer) => prompt + answer));
      return call(i, prompt, ...answers);
    });
    const { nodes, roots } = treeOf({ calls });
    expect(nodes).toHaveLength(calls.reduce((sum, { choices }) => sum + choices.length, 0));
    for (const node of nodes) {
      const earlier = nodes.filter((other) => other.call.call < node.call.call);
      const text = ({ call: { promptIds }, choice: { ids } }: typeof node) => String.fromCharCode(...promptIds, ...ids);
      const prompt = String.fromCharCode(...node.call.promptIds);
      const deepest = earlier
        .map(text)
        .filter((end) => prompt.startsWith(end))
        .sort((a, b) => b.length - a.length)[0];
      expect(node.parent === null ? undefined : text(node.parent)).toBe(deepest);
      expect(roots.includes(node)).toBe(deepest === undefined);
    }
  }
});
