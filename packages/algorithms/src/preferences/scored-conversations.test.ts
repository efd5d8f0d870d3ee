import { scoredConversations } from './scored-conversations.js';

const encoded = (ids: number[], lossMask: number[]) => ({ ids, lossMask });

test('an utterance for each stretch of learned tokens; the score is the reward of the last', () => {
  const conversations = [encoded([1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 1, 1]), encoded([1, 9], [0, 1])];
  const [episode, ...others] = scoredConversations(conversations, [{ conversation: 0, task: 't', score: 2 }, null]);
  expect(others).toEqual([]);
  expect(episode.item).toBe('t');
  expect(episode.segments[0].utterances.map(({ turn, start, ids }) => [turn, start, ids])).toEqual([
    [0, 1, [2, 3]],
    [1, 4, [5, 6]],
  ]);
  expect(episode.transitions.map(({ reward, terminated }) => [reward, terminated])).toEqual([
    [0, false],
    [2, true],
  ]);
});

test('two encodings of one conversation are one episode with its score once', () => {
  const outcome = { conversation: 4, task: 't', score: 3 };
  const [episode] = scoredConversations([encoded([1, 2], [0, 1]), encoded([1, 2, 3], [0, 0, 1])], [outcome, outcome]);
  expect(episode.segments.map(({ utterances }) => utterances.map(({ turn, ids }) => [turn, ids]))).toEqual([
    [[0, [2]]],
    [[1, [3]]],
  ]);
  expect(episode.transitions.map(({ reward }) => reward)).toEqual([0, 3]);
});
