// Tests answers of other endpoints in all known forms: they are complete, or refused with the reason.
import { modelCalls } from '../src/protocols/protocols.js';
import { AnswerEvents } from '../src/protocols/upstream/answer-events.js';
import { addEvent, type ReadChoice } from '../src/protocols/upstream/answer-reader.js';

type Json = Record<string, unknown>;

const callsOf = (protocol: string) => modelCalls.find(({ name }) => name === protocol)!;

/** Reads a whole answer, or the whole text of a stream. */
function readAnswer(protocol: string, text: string, isStream: boolean): ReadChoice[] {
  const answer = callsOf(protocol).answer(isStream, 1);
  if (isStream) {
    const events = new AnswerEvents(addEvent(answer));
    events.add(text);
    events.end();
    if (events.failure !== null) throw events.failure;
  } else answer.add(JSON.parse(text) as Json);
  return answer.choices();
}

const stream = (...data: (object | string)[]): string =>
  data.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');

const piece = (delta: object, finish_reason: string | null = null, index = 0) => ({
  choices: [{ index, delta, finish_reason }],
});

const call = (fields: { index?: unknown; id?: string | null; name?: string; args?: unknown }) => {
  const { name, args, ...more } = fields;
  return { ...more, function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) } };
};

/** Returns the calls of a stream whose deltas have these pieces. */
const streamedCalls = (...deltas: object[][]) => {
  const pieces = deltas.map((calls) => piece({ tool_calls: calls }));
  const [{ message, finishReason }] = readAnswer('chat-completions', stream(...pieces, piece({}, 'tool_calls')), true);
  expect(finishReason).toBe('tool_calls');
  return message.calls.map(({ id, name, arguments: args }) => [id, name, args]);
};

const [riga, eet] = ['{"city": "Riga"}', '{"zone": "EET"}'];
const both = [
  ['c_1', 'weather', riga],
  ['c_2', 'clock', eet],
];

test.each<[string, object[][], string[][]]>([
  [
    'OpenAI: an index in each piece',
    [
      [call({ index: 0, id: 'c_1', name: 'weather', args: '' })],
      [call({ index: 0, args: '{"city"' })],
      [call({ index: 1, id: 'c_2', name: 'clock', args: '' })],
      [call({ index: 0, args: ': "Riga"}' }), call({ index: 1, args: eet })],
    ],
    both,
  ],
  [
    'no index, ids',
    [[call({ id: 'c_1', name: 'weather', args: riga })], [call({ id: 'c_2', name: 'clock', args: eet })]],
    both,
  ],
  [
    'no index, ids, the arguments in further pieces without either',
    [
      [call({ id: 'c_1', name: 'weather', args: '' })],
      [call({ args: '{"city"' })],
      [call({ args: ': "Riga"}' })],
      [call({ id: 'c_2', name: 'clock', args: eet })],
    ],
    both,
  ],
  [
    'no index, both in one delta',
    [[call({ id: 'c_1', name: 'weather', args: riga }), call({ id: 'c_2', name: 'clock', args: eet })]],
    both,
  ],
  [
    'the same index for all',
    [
      [call({ index: 0, id: 'c_1', name: 'weather', args: '{"city"' })],
      [call({ index: 0, args: ': "Riga"}' })],
      [call({ index: 0, id: 'c_2', name: 'clock', args: eet })],
    ],
    both,
  ],
  [
    'the same index for all, null as the id',
    [
      [call({ index: 0, id: null, name: 'weather', args: riga })],
      [call({ index: 0, id: null, name: 'clock', args: eet })],
    ],
    [
      ['', 'weather', riga],
      ['', 'clock', eet],
    ],
  ],
  [
    'no index and no ids: names begin calls, also of the same function',
    [[call({ name: 'now', args: '{}' })], [call({ name: 'now', args: {} })], [call({ name: 'clock', args: eet })]],
    [
      ['', 'now', '{}'],
      ['', 'now', '{}'],
      ['', 'clock', eet],
    ],
  ],
  [
    'the function as the id of each call',
    [[call({ id: 'weather', name: 'weather', args: riga })], [call({ id: 'weather', name: 'weather', args: riga })]],
    [
      ['weather', 'weather', riga],
      ['weather', 'weather', riga],
    ],
  ],
  [
    'id and name in each piece, and a last one without text',
    [
      [call({ index: 0, id: 'c_1', name: 'weather', args: '{"city"' })],
      [call({ index: 0, id: 'c_1', name: 'weather', args: ': "Riga"}' })],
      [call({ index: 0, id: 'c_1', name: 'weather', args: '' })],
      [call({ index: 1, id: 'c_2', name: 'clock', args: eet })],
    ],
    both,
  ],
  [
    'another id in each piece of a call, as older vLLM',
    [
      [call({ index: 0, id: 'c_1', name: 'weather', args: '{"city"' })],
      [call({ index: 0, id: 'x', args: ': "Riga"}' })],
      [call({ index: 1, id: 'c_2', name: 'clock', args: eet })],
    ],
    both,
  ],
  [
    'indices from 1 on',
    [
      [call({ index: 1, id: 'c_1', name: 'weather', args: riga })],
      [call({ index: 2, id: 'c_2', name: 'clock', args: eet })],
    ],
    both,
  ],
  [
    'huge indices, in another order',
    [
      [call({ index: 4_294_967_290, id: 'c_2', name: 'clock', args: eet })],
      [call({ index: '7', id: 'c_1', name: 'weather', args: riga })],
    ],
    both,
  ],
  [
    'arguments that are no JSON, as they came',
    [[call({ index: 0, id: 'c', name: 'f', args: '{"a": 1' })]],
    [['c', 'f', '{"a": 1']],
  ],
])('calls of a stream: %s', (_, deltas, expected) => {
  expect(streamedCalls(...deltas)).toEqual(expected);
});

test.each<[string, object[][], string]>([
  ['a piece before any call', [[call({ args: riga })]], 'a call has no name'],
  [
    'two pieces without an index or an id',
    [
      [call({ id: 'c_1', name: 'f' }), call({ id: 'c_2', name: 'g' })],
      [call({ args: riga }), call({ args: eet })],
    ],
    'neither an index nor an id',
  ],
  [
    'a name within arguments',
    [[call({ name: 'f', args: '{"a"' })], [call({ name: 'g', args: ': 1}' })]],
    'it is not clear whose it is',
  ],
  ...[{}, { index: 0 }, { index: 0, id: 'c_1' }].map((of): [string, object[][], string] => [
    `a name in pieces, or two calls, whose pieces have ${JSON.stringify(of)}`,
    [[call({ ...of, name: 'wea' })], [call({ ...of, name: 'ther', args: '' })], [call({ ...of, args: riga })]],
    'it is not clear whose it is',
  ]),
  ['an index that is none', [[call({ index: -1, name: 'f', args: riga })]], 'has the index -1'],
  [
    'more calls than any answer has',
    [Array.from({ length: 1025 }, (_, i) => call({ index: i, name: 'f', args: riga }))],
    'more than 1024 calls',
  ],
  [
    'a call of another type',
    [[{ index: 0, id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }]],
    "a call of type 'custom'",
  ],
])('calls that cannot be distinguished are not recorded: %s', (_, deltas, reason) => {
  expect(() => streamedCalls(...deltas)).toThrow(reason);
});

const said = (content: string, finishReason = 'stop', more: object = {}) => ({
  message: { content, calls: [], ...more },
  finishReason,
});

test.each<[string, string, object[]]>([
  [
    'choices with sparse indices',
    stream(piece({ content: 'b' }, 'stop', 4_294_967_290), piece({ content: 'a' }, 'length', 3)),
    [said('a', 'length'), said('b')],
  ],
  [
    'thoughts in parts',
    stream(
      piece({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '6 * 7' }] }] }),
      piece({ content: '42' }, 'stop'),
    ),
    [said('42', 'stop', { reasoning: '6 * 7' })],
  ],
  [
    'an event over several lines, and others without data',
    ': ping\n\nevent: x\n\ndata: {"choices":\ndata: [{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n',
    [said('a')],
  ],
  [
    'line ends of Windows, and a last event that no empty line ends',
    'data: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: {"choices":[{"delta":{},"finish_reason":"STOP"}]}',
    [said('a')],
  ],
  ['a refusal', stream(piece({ refusal: 'No.' }, 'stop')), [said('No.')]],
  [
    'details of thoughts',
    stream(piece({ reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }), piece({ content: 'a' }, 'stop')),
    [said('a', 'stop', { reasoning: 'hm' })],
  ],
])('a stream of Chat Completions: %s', (_, text, expected) => {
  expect(readAnswer('chat-completions', text, true)).toEqual(expected);
});

const answer = (message: object, finish_reason: unknown = 'stop') => ({
  choices: [{ index: 0, message, finish_reason }],
});
const parts = (...content: object[]) => answer({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });

test.each<[string, Parameters<typeof readAnswer>[0], object, object[]]>([
  [
    'Mistral: a thought in parts',
    'chat-completions',
    parts({ type: 'thinking', thinking: [text('6 * '), text('7')] }, text('4'), text('2')),
    [said('42', 'stop', { reasoning: '6 * 7' })],
  ],
  [
    'a thought as a text',
    'chat-completions',
    parts({ type: 'thinking', thinking: 'hm' }, text('a')),
    [said('a', 'stop', { reasoning: 'hm' })],
  ],
  [
    'calls without ids or with the same',
    'chat-completions',
    answer(
      { content: null, tool_calls: [call({ name: 'f', args: riga }), call({ name: 'f', args: riga })] },
      'tool_calls',
    ),
    [said('', 'tool_calls', { calls: [1, 2].map(() => ({ id: '', name: 'f', arguments: riga })) })],
  ],
  [
    'arguments as an object',
    'chat-completions',
    answer({ tool_calls: [call({ id: 'c', name: 'f', args: { a: 1 } })] }, 'tool_calls'),
    [said('', 'tool_calls', { calls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] })],
  ],
  [
    'Anthropic: redacted thoughts',
    'messages',
    { content: [{ type: 'redacted_thinking', data: 'x' }, text('a')], stop_reason: 'max_tokens' },
    [said('a', 'length')],
  ],
  [
    'a response that was cut',
    'responses',
    {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }],
    },
    [said('a', 'length')],
  ],
])('a whole answer: %s', (_, protocol, body, expected) => {
  expect(readAnswer(protocol, JSON.stringify(body), false)).toEqual(expected);
});

test('items that the last event of a response leaves out are those that came before', () => {
  const item = { type: 'message', content: [{ type: 'output_text', text: 'a' }] };
  const events = stream(
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { output: [] } },
  );
  expect(readAnswer('responses', events, true)).toEqual([said('a')]);
});

const openai = (...data: (object | string)[]): ['chat-completions', string, true] => [
  'chat-completions',
  stream(...data),
  true,
];
const messages = (...data: object[]): ['messages', string, true] => ['messages', stream(...data), true];
const block = (index: number, content_block: Json) => ({ type: 'content_block_start', index, content_block });
const whole = (protocol: Parameters<typeof readAnswer>[0], body: object): [typeof protocol, string, false] => [
  protocol,
  JSON.stringify(body),
  false,
];

test.each<[string, Parameters<typeof readAnswer>, string]>([
  ['a stream without its end', openai(piece({ content: 'It rains' })), 'choice 0 has no finish_reason: it broke off'],
  ['a stream without its end that says [DONE]', openai(piece({ content: 'It rains' }), '[DONE]'), 'it broke off'],
  [
    'of two choices one without its end',
    openai(piece({ content: 'a' }, 'stop'), piece({ content: 'b' }, null, 1)),
    'choice 1 has no finish_reason',
  ],
  [
    'an error behind a text',
    openai(piece({ content: 'a' }), { error: { message: 'overloaded' } }),
    'it ended with an error: "overloaded"',
  ],
  ['an error behind the end', openai(piece({ content: 'a' }, 'stop'), { error: 'x' }), 'it ended with an error: "x"'],
  [
    "an error within a choice, as OpenRouter's",
    openai({ choices: [{ delta: { content: 'a' }, error: { code: 502, message: 'lost' }, finish_reason: 'stop' }] }),
    'it ended with an error: "lost"',
  ],
  ['usage alone', openai({ choices: [], usage: { total_tokens: 5 } }, '[DONE]'), 'it has no choices'],
  [
    'Anthropic: an end within the arguments of a call',
    messages(block(0, { type: 'tool_use', id: 't', name: 'f', input: {} }), {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"city": "Ri' },
    }),
    'the message has no stop_reason',
  ],
  [
    'an end that no model writes',
    openai(piece({ content: 'a' }, 'content_filter')),
    "ended with finish_reason 'content_filter'",
  ],
  [
    'an event that is no JSON',
    openai(piece({ content: 'a' }), '<html>', piece({}, 'stop')),
    'an event of the stream is not a JSON object',
  ],
  ['an empty stream', openai('[DONE]'), 'it has no choices'],
  [
    'Anthropic: an error',
    messages(block(0, text('a') as Json), {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    }),
    '"Overloaded"',
  ],
  [
    'Anthropic: no end',
    messages({ type: 'message_start', message: { content: [], stop_reason: null } }, block(0, text('a') as Json)),
    'the message has no stop_reason',
  ],
  [
    'Anthropic: a refusal of its filter',
    messages(block(0, text('a') as Json), { type: 'message_delta', delta: { stop_reason: 'refusal' } }),
    "stop_reason 'refusal'",
  ],
  [
    'Anthropic: a tool that it calls itself',
    messages(block(0, { type: 'server_tool_use', id: 's', name: 'web_search' }), {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
    }),
    "a content block of type 'server_tool_use'",
  ],
  [
    'a response without its end',
    ['responses', stream({ type: 'response.output_text.delta', delta: 'a' }), true],
    'it has no end',
  ],
  [
    'a response that failed',
    ['responses', stream({ type: 'response.failed', response: { error: { message: 'bad' } } }), true],
    '"bad"',
  ],
  [
    'a response that a filter cut',
    whole('responses', { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }),
    "status is 'incomplete' (content_filter)",
  ],
  ['a response in the background', whole('responses', { status: 'queued', output: [] }), "status is 'queued'"],
  [
    'a response with a tool of its own',
    whole('responses', { status: 'completed', output: [{ type: 'web_search_call' }] }),
    "an item of type 'web_search_call'",
  ],
  ['an error as an answer', whole('chat-completions', { error: { message: 'quota' } }), '"quota"'],
  ['an answer without its end', whole('chat-completions', answer({ content: 'a' }, null)), 'no finish_reason'],
  ['parts that are no text', whole('chat-completions', parts({ type: 'image_url' })), "a part of type 'image_url'"],
  [
    "OpenAI's calls before tools",
    whole(
      'chat-completions',
      answer({ content: null, function_call: { name: 'f', arguments: '{}' } }, 'function_call'),
    ),
    "has 'function_call'",
  ],
  ['audio', whole('chat-completions', answer({ content: null, audio: { data: '' } })), "has 'audio'"],
  ['calls that are missing', openai(piece({ content: 'a' }, 'tool_calls')), 'it ended with calls, and has none'],
  ['another form', whole('chat-completions', { output: [] }), 'it has no choices'],
])('no record: %s', (_, given, reason) => {
  expect(() => readAnswer(...given)).toThrow(
    expect.objectContaining({ name: 'UnreadAnswerError', message: expect.stringContaining(reason) }),
  );
});

test('the choices that were asked for and did not come are missing, unless the stream says that it has ended', () => {
  const read = (...data: (Json | '[DONE]')[]) => {
    const opened = callsOf('chat-completions').answer(true, 2);
    data.forEach(addEvent(opened));
    return opened.choices();
  };
  const first = piece({ content: 'a' }, 'stop');
  expect(() => read(first)).toThrow('it broke off behind 1 of 2 choices');
  expect(read(first, '[DONE]')).toEqual([said('a')]);
});

test('an answer that never ends is not kept without a bound, in however many calls, choices or texts', () => {
  const long = 'x'.repeat(2 ** 20);
  const opened = stream(...Array.from({ length: 17 }, () => piece({ content: long })));
  expect(() => readAnswer('chat-completions', opened, true)).toThrow('more than 16777216 characters');
  const choices = stream(...Array.from({ length: 1025 }, (_, i) => piece({ content: '' }, 'stop', i)));
  expect(() => readAnswer('chat-completions', choices, true)).toThrow('more than 1024 choices');
});

test('calls of tools and thoughts are put together from the pieces of each protocol', () => {
  const events = (...data: object[]) => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
  const delta = (content: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: content, finish_reason }],
  });
  const called = { content: 'so', reasoning: 'hm', calls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] };
  const expected = [{ message: called, finishReason: 'tool_calls' }];
  const chat = events(
    delta({ role: 'assistant', content: 's', reasoning_content: 'hm' }),
    delta({ content: 'o', tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    delta({}, 'tool_calls'),
  );
  expect(readAnswer('chat-completions', `${chat}data: [DONE]\n\n`, true)).toEqual(expected);
  const blocks = events(
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'so' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  );
  expect(readAnswer('messages', blocks, true)).toEqual(expected);
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'so' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
  ];
  const response = events({ type: 'response.completed', response: { status: 'completed', output } });
  expect(readAnswer('responses', response, true)).toEqual(expected);
});

test.each([false, true])('an answer that a stop text has ended says which (streamed: %s)', (isStream) => {
  const end = { stop_reason: 'stop_sequence', stop_sequence: '##' };
  const content = [{ type: 'text', text: 'a' }];
  const pieces = [
    { type: 'content_block_start', index: 0, content_block: content[0] },
    { type: 'message_delta', delta: end },
  ];
  const answer = isStream ? stream(...pieces) : JSON.stringify({ content, ...end });
  expect(readAnswer('messages', answer, isStream)).toMatchObject([{ finishReason: 'stop', stop: '##' }]);
});
