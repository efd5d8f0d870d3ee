// Tests requests of the kinds that OpenResponses' compliance tests send, against its requirements for a response and a stream's
// events: every required field is there, with a value of its type, whatever a model of random weights says.
// Source: openresponses/openresponses at 0cb939c, src/lib/compliance-tests.ts; its schema of a response.
import { sendJson } from '@bowyer/testing';
import { tinyServer } from './tiny-server.js';

const server = await tinyServer({
  maxQueued: 8,
  splitsMessages: true,
  storage: { responses: 2, bytes: 100_000 },
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 160 },
});

const post = (body: object) =>
  sendJson(
    new URL('/v1/responses', server.url),
    { model: 'tiny', ...body },
    { headers: { authorization: 'Bearer any' } },
  );

const orNull = (type: string): string[] => [type, 'null'];

/** The types of the fields that a response must have. */
const required: Readonly<Record<string, readonly string[]>> = {
  id: ['string'],
  object: ['string'],
  created_at: ['integer'],
  completed_at: orNull('integer'),
  status: ['string'],
  incomplete_details: orNull('object'),
  model: ['string'],
  previous_response_id: orNull('string'),
  instructions: orNull('string'),
  output: ['array'],
  error: orNull('object'),
  tools: ['array'],
  tool_choice: ['string', 'object'],
  truncation: ['string'],
  parallel_tool_calls: ['boolean'],
  text: ['object'],
  top_p: ['integer', 'number'],
  presence_penalty: ['integer', 'number'],
  frequency_penalty: ['integer', 'number'],
  top_logprobs: ['integer'],
  temperature: ['integer', 'number'],
  reasoning: orNull('object'),
  usage: orNull('object'),
  max_output_tokens: orNull('integer'),
  max_tool_calls: orNull('integer'),
  store: ['boolean'],
  background: ['boolean'],
  service_tier: ['string'],
  metadata: ['object'],
  safety_identifier: orNull('string'),
  prompt_cache_key: orNull('string'),
};

function typeOf(value: unknown): string {
  if (value === null || Array.isArray(value)) return value === null ? 'null' : 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Response = any;

function expectResponse(response: Response): void {
  const wrong = Object.keys(required).filter((name) => !required[name].includes(typeOf(response[name])));
  expect(wrong.map((name) => `${name}: ${typeOf(response[name])}`)).toEqual([]);
  for (const item of response.output) expectItem(item);
  for (const tool of response.tools)
    expect(Object.keys(tool).sort()).toEqual(['description', 'name', 'parameters', 'strict', 'type']);
}

function expectItem(item: Response): void {
  const message = {
    role: 'assistant',
    content: [{ type: 'output_text', text: expect.any(String), annotations: [], logprobs: [] }],
  };
  const called = { call_id: expect.any(String), name: 'get_weather', arguments: expect.any(String) };
  const own = item.type === 'message' ? message : called;
  const status = expect.stringMatching(/^(completed|incomplete)$/);
  expect(item).toEqual({ id: expect.any(String), type: item.type, status, ...own });
}

/** Returns the events of a stream, and checks that the name of each is its type, and their order. */
function eventsOf(text: string): Response[] {
  const blocks = text.split('\n\n').filter((block) => block.startsWith('event: '));
  const events = blocks.map((block) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/s.exec(block)!;
    const event = JSON.parse(data) as { type: string; sequence_number: number };
    expect(event.type).toBe(name);
    return event;
  });
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
  return events;
}

const message = (role: string, content: unknown) => ({ type: 'message', role, content });

/** A schema with which the answer of a model of random weights ends. */
const text = { format: { type: 'json_schema', name: 'x', schema: { enum: ['a', 'b'] } } };

const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { enum: ['Paris', 'Rome'] } }, required: ['place'] },
  },
];

test.each([
  ['a message', { input: [message('user', 'Say it.')] }],
  ['a system message first', { input: [message('system', 'You are brief.'), message('user', 'Say it.')] }],
  [
    'several turns',
    { input: [message('user', 'I am Ann.'), message('assistant', 'Hello Ann.'), message('user', 'Who am I?')] },
  ],
])('%s is answered with a whole response, and the same as a stream', async (_, request) => {
  const whole = JSON.parse((await post({ ...request, text })).text);
  expectResponse(whole);
  expect([whole.status, whole.output[0].type]).toEqual(['completed', 'message']);
  const events = eventsOf((await post({ ...request, text, stream: true })).text);
  for (const { response } of events) if (response !== undefined) expectResponse(response);
  const { type, response } = events.at(-1);
  expect([type, response.status]).toEqual(['response.completed', 'completed']);
});

test('a call of a tool has its events, and its result continues the response', async () => {
  const asked = { input: [message('user', 'How is it in Paris?')], tools, tool_choice: 'required' };
  const one = { ...asked, parallel_tool_calls: false };
  const whole = JSON.parse((await post(one)).text);
  expectResponse(whole);
  expect(whole.output).toMatchObject([{ type: 'function_call' }]);
  const events = eventsOf((await post({ ...one, stream: true })).text);
  const called = events.filter(({ item }) => item?.type === 'function_call').map(({ type }) => type);
  expect(called).toEqual(['response.output_item.added', 'response.output_item.done']);
  const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
  const done = events.find(({ type }) => type === 'response.function_call_arguments.done');
  expect(deltas.map(({ delta }) => delta).join('')).toBe(done.arguments);
  const [{ call_id }] = whole.output;
  const result = { type: 'function_call_output', call_id, output: 'warm' };
  const next = { previous_response_id: whole.id, input: [result], tools, text };
  expectResponse(JSON.parse((await post({ ...next, tool_choice: 'none' })).text));
});

test('an image is refused by its place, since the model reads text', async () => {
  const content = [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }];
  const { status, text } = await post({ input: [message('user', content)] });
  expect([status, JSON.parse(text).error.param]).toEqual([400, 'input[0].content[0].type']);
});
