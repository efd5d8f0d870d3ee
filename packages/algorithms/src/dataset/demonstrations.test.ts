import { wordLevelTokenizer } from '@bowyer/text';
import { episodeExamples } from '../imitation/examples.js';
import { demonstrationSegments } from './demonstrations.js';

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
  // a → b belongs to a slip, only b → c is the environment's, and c → d and the end of d are learned as actions.
  expect([...examples[0].weights]).toEqual([0, 0.5, 1, 1]);
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
  const said = { ids: [...pieces[1], 7], terminated: true, logprobs: [] };
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
