import { judgeGroup, judgeMessage, usualRubric, verdictsOf } from './judge.js';

const rollouts = [
  [
    { role: 'user', text: 'Add 2 and 3.' },
    { role: 'assistant', text: '5' },
  ],
  [
    { role: 'user', text: 'Add 2 and 3.' },
    { role: 'assistant', text: '6' },
  ],
];

test('the common beginning of all rollouts is written once', () => {
  const message = judgeMessage(rollouts, usualRubric);
  expect(message.split('Add 2 and 3.')).toHaveLength(2);
  expect(message).toContain('<rollout id="2">\nassistant: 6\n</rollout>');
});

test('scores are read in the order of the rollouts', () => {
  const answer = '```json\n{"scores": [{"id": 2, "score": 0.1}, {"id": 1, "explanation": "right", "score": 1}]}\n```';
  expect(verdictsOf(answer, 2)).toEqual([
    { score: 1, explanation: 'right' },
    { score: 0.1, explanation: '' },
  ]);
});

test.each([
  ['none', 'has no JSON object'],
  ['{"scores": 1}', 'has no list of scores'],
  ['{"scores": [{"id": 1, "score": 1}]}', 'did not score rollout 2'],
  ['{"scores": [{"id": 3, "score": 1}]}', 'scored a rollout 3'],
  ['{"scores": [{"id": 1, "score": 1}, {"id": 1, "score": 1}]}', 'scored rollout 1 twice'],
  ['{"scores": [{"id": 1, "score": 2}, {"id": 2, "score": 1}]}', 'is not from 0 to 1'],
])('an answer that does not score each rollout once is an error: %s', (answer, message) => {
  expect(() => verdictsOf(answer, 2)).toThrow(message);
});

test('a judge whose answer cannot be read is asked again, and at last given up', async () => {
  const answers = ['?', '{"scores": [{"id": 1, "score": 1}, {"id": 2, "score": 0}]}'];
  const chat = { complete: () => Promise.resolve({ content: answers.shift() ?? '?', finishReason: 'stop' }) };
  const options = { rubric: usualRubric, retries: 1, maxTokens: 100 };
  expect((await judgeGroup(chat, rollouts, options)).map(({ score }) => score)).toEqual([1, 0]);
  await expect(judgeGroup(chat, rollouts, options)).rejects.toThrow('the judge gave no verdict in 2 answers');
});
