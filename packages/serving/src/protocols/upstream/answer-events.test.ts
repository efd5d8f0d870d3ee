import { modelCalls } from '../protocols.js';
import { AnswerEvents } from './answer-events.js';
import { UnreadAnswerError } from './unread-answer-error.js';

const event = (data: object | string) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const piece = (index: number, content: string, finish_reason: string | null = null) =>
  event({ choices: [{ index, delta: { content }, finish_reason }] });

test('of several choices those that continue pass one that has ended; the ends wait, in their order', () => {
  const held = new AnswerEvents();
  const ends = [piece(0, '', 'stop'), piece(1, 'z', 'length'), event({ choices: [], usage: {} }), event('[DONE]')];
  expect(held.add(piece(0, 'a') + piece(1, 'x') + ends[0])).toBe(piece(0, 'a') + piece(1, 'x'));
  expect(held.add(piece(1, 'y'))).toBe(piece(1, 'y'));
  expect(held.add(ends.slice(1).join(''))).toBe('');
  expect(held.end()).toBe(ends.join(''));
});

test('wherever the network cuts a stream, the same passes', () => {
  const [said, end] = [piece(0, 'data: [DONE] "finish_reason": "stop"').replaceAll('\n', '\r\n'), event('[DONE]')];
  for (let at = 0; at < said.length; at++) {
    const held = new AnswerEvents();
    expect(held.add(said.slice(0, at)) + held.add(said.slice(at) + end.slice(0, -1))).toBe(said);
    expect(held.end()).toBe(end.slice(0, -1));
  }
});

test.each([
  ['messages', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }],
  ['responses', { type: 'response.completed', response: {} }, { type: 'response.completed', response: {} }],
])('the end of %s waits, and what follows it', (protocol, first, last) => {
  const { isEnd } = modelCalls.find(({ name }) => name === protocol)!;
  const held = new AnswerEvents(() => undefined, isEnd);
  const begin = `event: message_start\n${event({ type: 'message_start', message: { stop_reason: null } })}: ping\n\n`;
  expect(held.add(begin + event(first) + event({ type: 'ping' }) + event(last))).toBe(begin);
  expect(held.end()).toBe(event(first) + event({ type: 'ping' }) + event(last));
});

test('after an event that cannot be read everything passes in order, also held-back events', () => {
  const read = (data: unknown) => {
    if (data === null) throw new UnreadAnswerError('no JSON');
  };
  const text = [piece(0, 'a', 'stop'), piece(1, 'b'), event('{'), event('[DONE]'), piece(1, 'c')].join('');
  for (const at of [0, text.indexOf('{\n'), text.indexOf('[DONE]') + 3, text.length]) {
    const events = new AnswerEvents(read);
    const passed = events.add(text.slice(0, at)) + events.add(text.slice(at)) + events.end();
    expect(events.failure?.message).toBe('no JSON');
    expect(passed.length).toBe(text.length);
    expect(passed.endsWith(event('{') + event('[DONE]') + piece(1, 'c'))).toBe(true);
  }
});

test.each([{ choices: [null] }, { choices: ['x'] }, { choices: {} }, { delta: 'x' }, { delta: null }, []])(
  'an event of another form passes: %j',
  (data) => {
    const events = new AnswerEvents();
    expect(events.add(event(data))).toBe(event(data));
  },
);
