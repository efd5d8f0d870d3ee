import { wordLevelTokenizer } from '@bowyer/text';
import { episodeExamples } from '../imitation/examples.js';
import { demonstrationSegments, tokenExamples } from './token-examples.js';

/** History `H q Q r w W`: two utterances, [q Q] after H and [w W] after the reply r. Terminator 9. */
const trajectory = {
  segments: [
    {
      ids: [1, 2, 3, 4, 5, 6],
      utterances: [
        { turn: 0, start: 1, ids: [2, 3], terminatorId: 9, logprobs: [] },
        { turn: 1, start: 4, ids: [5, 6], terminatorId: 9, logprobs: [] },
      ],
    },
  ],
};

test('a target stands at the position that predicts it, the terminator in place of the reply', () => {
  const [example] = tokenExamples(
    [
      { trajectory, turn: 0, weight: 0.5 },
      { trajectory, turn: 1, weight: -2 },
    ],
    { scoreTerminator: true },
  );
  expect([...example.ids]).toEqual([1, 2, 3, 4, 5, 6]);
  expect([...example.targets]).toEqual([2, 3, 9, 5, 6, 9]);
  expect([...example.weights]).toEqual([0.5, 0.5, 0.5, -2, -2, -2]);
});

test('without the terminator the last token is only a target: it is not run', () => {
  const [example] = tokenExamples([{ trajectory, turn: 1, weight: 1 }], { scoreTerminator: false });
  expect([...example.ids]).toEqual([1, 2, 3, 4, 5]);
  expect([...example.targets]).toEqual([0, 0, 0, 5, 6]);
  expect([...example.weights]).toEqual([0, 0, 0, 1, 1]);
});

test('tokens after the last scored utterance are not run, and a turn drawn twice counts twice', () => {
  const turn = { trajectory, turn: 0, weight: 0.25 };
  const [example, ...others] = tokenExamples([turn, turn], { scoreTerminator: true });
  expect(others).toEqual([]);
  expect([...example.ids]).toEqual([1, 2, 3]);
  expect([...example.weights]).toEqual([0.5, 0.5, 0.5]);
});

test('an utterance that the length limit ended needs no position for its last token', () => {
  const utterance = { turn: 0, start: 2, ids: [3, 4], terminatorId: null, logprobs: [] };
  const full = { segments: [{ ids: [1, 2, 3, 4], utterances: [utterance] }] };
  const [example] = tokenExamples([{ trajectory: full, turn: 0, weight: 1 }], { scoreTerminator: true });
  expect([...example.ids]).toEqual([1, 2, 3]); // with the fourth it could be longer than the context
  expect([...example.targets]).toEqual([0, 3, 4]);
});

test('what the environment wrote is scored with a weight of its own, but for what the policy can never write', () => {
  const utterances = [0, 1].map((turn) => ({ trajectory, turn, weight: 1 }));
  const history = {
    segments: [
      {
        ...trajectory.segments[0],
        ids: [1, 2, 3, 4, 7, 5, 6],
        utterances: [trajectory.segments[0].utterances[0], { ...trajectory.segments[0].utterances[1], start: 5 }],
      },
    ],
  };
  const scored = (maskedIds: number[]) =>
    tokenExamples(
      utterances.map((utterance) => ({ ...utterance, trajectory: history })),
      { scoreTerminator: true, observations: { weight: 0.25, maskedIds: new Set(maskedIds) } },
    )[0];
  // After [q Q] the terminator is the target; 4 begins the reply, which predicts 7.
  expect([...scored([]).targets]).toEqual([2, 3, 9, 7, 5, 6, 9]);
  expect([...scored([]).weights]).toEqual([1, 1, 1, 0.25, 1, 1, 1]);
  expect(scored([7]).weights[3]).toBe(0);
});

test('a slip of a demonstration is read and not learned', () => {
  const tokenizer = wordLevelTokenizer(['a b c d e\n']);
  const turns = [
    { action: 'b', reply: ' c', slip: true },
    { action: ' d', reply: '' },
  ];
  const segments = demonstrationSegments({ opening: 'a', turns }, tokenizer, 9);
  const { examples } = episodeExamples([{ segments }], { scoreTerminator: true, observationWeight: 0.5 }).batchOf([
    { segments },
  ]);
  expect(examples).toHaveLength(1);
  // a → b is the slip's, b → c and nothing else the environment's, c → d and the end of d are learned.
  expect([...examples[0].weights]).toEqual([0, 0.5, 1, 1]);
});

test('silence that is not scored gives no example', () => {
  const silent = {
    segments: [{ ids: [1], utterances: [{ turn: 0, start: 1, ids: [], terminatorId: 9, logprobs: [] }] }],
  };
  expect(tokenExamples([{ trajectory: silent, turn: 0, weight: 1 }], { scoreTerminator: false })).toEqual([]);
});

test('a demonstration is tokenised in the pieces that a rollout would have', () => {
  const texts = ['Questions:\n', 'is it big?', ' No.\n'];
  const tokenizer = wordLevelTokenizer([texts.join('')], { wholeTokens: [' No.\n'] });
  const turns = [
    { action: texts[1], reply: texts[2] },
    { action: texts[1], reply: '' },
  ];
  const [segment] = demonstrationSegments({ opening: texts[0], turns }, tokenizer, 7);
  const pieces = [...texts, texts[1]].map((text) => tokenizer.encode(text));
  expect(segment.ids).toEqual(pieces.flat());
  const said = { ids: pieces[1], terminatorId: 7, logprobs: [] };
  expect(segment.utterances).toEqual([
    { turn: 0, start: pieces[0].length, ...said },
    { turn: 1, start: pieces.slice(0, 3).flat().length, ...said },
  ]);
});

test('a demonstration that is longer than the room for it loses its beginning, as a rollout does', () => {
  const tokenizer = wordLevelTokenizer(['a b c d e f g'], { wholeTokens: [] });
  const turns = [
    { action: 'e', reply: ' f' },
    { action: 'g', reply: '' },
  ];
  const segments = demonstrationSegments({ opening: 'a b c d', turns }, tokenizer, 7, 3);
  const words = (text: string) => text.split('/').flatMap((piece) => tokenizer.encode(piece));
  expect(segments.map(({ ids }) => ids)).toEqual([words(' b c d/e').slice(-4), words(' d/e/ f/g').slice(-4)]);
});
