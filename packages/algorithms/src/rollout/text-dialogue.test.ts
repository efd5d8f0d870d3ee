import { Rng, type Utterance } from '@bowyer/core';
import { TextDialogue } from './text-dialogue.js';
import { segmentsOf } from './turn-tokens.js';

/** Encodes each character as one token, so that the text shows the lengths. */
const encode = (text: string) => [...text].map((c) => c.charCodeAt(0));
const decode = (ids: ArrayLike<number>) => String.fromCharCode(...Array.from(ids));
const dialogue = () => new TextDialogue({ encode, decode });
const turn = (number: number, observation: string) => ({ slot: 0, turn: number, observation, rng: new Rng(0) });
const utterance = (text: string): Utterance => ({
  ids: encode(`${text}\n`),
  terminated: true,
  logprobs: new Array<number>(text.length + 1).fill(-1),
});

test('a turn costs only the tokens that are new', () => {
  const context = dialogue();
  expect(context.advance(turn(0, 'ab'), encode('of another episode'))).toEqual({ keep: 0, tokens: encode('ab') });
  const first = context.decide(utterance('Q'), 2);
  expect(first.action).toBe('Q');
  expect(context.advance(turn(1, 'abQ!'), encode('abQ'))).toEqual({ keep: 3, tokens: encode('!') });
  const segments = segmentsOf([first.data, context.decide(utterance('R'), 4).data]);
  expect(segments).toHaveLength(1);
  expect(segments[0].ids).toEqual(encode('abQ!R'));
  expect(segments[0].utterances.map(({ turn: at, start }) => [at, start])).toEqual([
    [0, 2],
    [1, 4],
  ]);
});

test('an observation that does not continue the text is read in a segment of its own', () => {
  const context = dialogue();
  context.advance(turn(0, 'ab'), []);
  const { data: first } = context.decide(utterance('Q'), 2);
  expect(context.advance(turn(1, 'new room'), encode('abQ'))).toEqual({ keep: 0, tokens: encode('new room') });
  const { data: second } = context.decide(utterance('R'), 8);
  expect(segmentsOf([first, second]).map(({ ids }) => ids.length)).toEqual([3, 9]);
});

test('an action that the observation shows otherwise is replaced, and what came before it is not read again', () => {
  const context = dialogue();
  context.advance(turn(0, 'ab'), []);
  const { data: first } = context.decide(utterance('Q '), 2);
  expect(context.advance(turn(1, 'abQ!'), encode('abQ '))).toEqual({ keep: 2, tokens: encode('Q!') });
  const { data: second } = context.decide(utterance('R'), 4);
  const segments = segmentsOf([first, second]);
  expect(segments.map(({ ids }) => decode(ids))).toEqual(['abQ ', 'abQ!R']);
  expect(segments.map(({ utterances }) => utterances.map(({ start }) => start))).toEqual([[2], [4]]);
  // The environment ignored the action, so that the model continues from the position before it.
  expect(context.advance(turn(2, 'abQ!'), encode('abQ!R'))).toEqual({ keep: 4, tokens: [] });
});

test('a context cut on the left is scored as the sampler saw it', () => {
  const context = dialogue();
  context.advance(turn(0, 'abcdef'), []);
  const { data } = context.decide(utterance('Q'), 4); // only the last four tokens were in the context
  expect(segmentsOf([data]).at(-1)).toMatchObject({ ids: encode('cdefQ'), utterances: [{ start: 4 }] });
});

test('a new episode forgets the last one', () => {
  const context = dialogue();
  context.advance(turn(0, 'ab'), []);
  context.decide(utterance('Q'), 2);
  expect(context.advance(turn(0, 'abQ'), encode('abQ')).keep).toBe(0);
  expect(segmentsOf([context.decide(utterance('R'), 3).data])).toHaveLength(1);
});

test('a state that was played before is read in the tokens that it had', () => {
  const context = dialogue();
  const state = { ...turn(0, 'abc'), ids: [97, 500] };
  expect(context.advance(state, [])).toEqual({ keep: 0, tokens: [97, 500] });
  expect(segmentsOf([context.decide(utterance('Q'), 2).data])[0].ids).toEqual([97, 500, ...encode('Q')]);
});

test('a turn without tokens is left out, and the others keep their numbers', () => {
  const context = dialogue();
  context.advance(turn(0, 'ab'), []);
  const { data } = context.decide(utterance('Q'), 2);
  expect(segmentsOf([undefined, data]).map(({ utterances }) => utterances.map(({ turn: at }) => at))).toEqual([[1]]);
});
