// Tests each format with files as their programs write them.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@bowyer/testing';
import { jsonAsWritten, textAsWritten } from '@bowyer/text';
import { isConversationFile, readConversations } from '../src/index.js';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const folder = newFolder();
let files = 0;
function written(...items: unknown[]): string {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, items.map((item) => JSON.stringify(item)).join('\n'));
  return path;
}
const valuesOf = async (path: string) => (await readConversations(path)).items.map(({ value }) => value);

const call = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const tool = (name: string, parameters: object = {}) => ({ type: 'function', function: { name, parameters } });
const thing = { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] };

/** These spans were written by ai 7.0.173 with a model of serve_model: a call of a tool, its result, the reply. */
test.each([
  ['ai-sdk-gen-ai.jsonl', 'red cup', 'the kitchen'],
  ['ai-sdk-legacy.jsonl', 'blue hat', 'the kitchen'],
])('%s: the calls of the AI SDK are one conversation', async (name, what, room) => {
  expect(isConversationFile(fixture(name))).toBe(true);
  const { items, notes } = await readConversations(fixture(name));
  expect(notes).toEqual([]);
  expect(items).toHaveLength(1);
  const [{ messages, inputs }] = items.map(({ value }) => value);
  const id = expect.stringMatching(/^call_/) as string;
  expect(messages).toEqual([
    { role: 'user', content: `Where is the ${what}?` },
    { role: 'assistant', content: '', tool_calls: [call(id, 'find', { thing: what })] },
    { role: 'tool', tool_call_id: id, name: 'find', content: room },
    { role: 'assistant', content: `It is in ${room}.` },
  ]);
  expect(inputs).toEqual({
    tools: [{ type: 'function', function: { name: 'find', description: 'Find a thing', parameters: thing } }],
  });
});

const asked = { role: 'user', content: 'Is it red?' };
const yes = { role: 'assistant', content: 'Yes.' };
const no = { role: 'assistant', content: 'No.' };
const earlier = [{ role: 'user', content: 'Hi.' }, { role: 'assistant', content: 'Hello.' }, asked];
const readEarlier = [earlier[0], { ...earlier[1], loss: false }, asked];
const looked = [
  { role: 'assistant', tool_calls: [call('c1', 'look', {})] },
  { role: 'tool', tool_call_id: 'c1', content: 'blue' },
  no,
];

test.each([
  ['texts', { prompt: 'Is it red?', chosen: 'Yes.', rejected: 'No.' }, [asked], [yes], [no]],
  [
    'texts that begin alike',
    { chosen: 'Is it red? Yes.', rejected: 'Is it red? Yellow.' },
    [asked],
    [yes],
    [{ ...no, content: 'Yellow.' }],
  ],
  ['messages', { prompt: earlier, chosen: [yes], rejected: [no], id: 1 }, readEarlier, [yes], [no]],
  [
    'a text, and messages that have it again',
    { prompt: asked.content, chosen: [asked, yes], rejected: [asked, no] },
    [asked],
    [yes],
    [no],
  ],
  ['messages that begin alike', { chosen: [...earlier, yes], rejected: [...earlier, no] }, readEarlier, [yes], [no]],
  [
    'answers with a call',
    { prompt: [asked], chosen: [yes], rejected: looked },
    [asked],
    [yes],
    [{ ...looked[0], content: '' }, { ...looked[1], name: 'look' }, no],
  ],
])('a preferred and a rejected answer, as %s, are two dialogues', async (_, item, prompt, chosen, rejected) => {
  const path = written({ ...item, tools: [tool('look')] }, { ...item, tools: [tool('look')] });
  expect(isConversationFile(path)).toBe(true);
  const { items } = await readConversations(path, { preferences: true });
  const inputs = { tools: [tool('look')] };
  expect(items.slice(0, 2).map(({ value }) => value)).toEqual([
    { messages: [...prompt, ...chosen], inputs, score: 1, pair: 'line 1' },
    { messages: [...prompt, ...rejected], inputs, score: 0, pair: 'line 1' },
  ]);
  expect(items.slice(2).map(({ value }) => value.pair)).toEqual(['line 2', 'line 2']);
  await expect(readConversations(path)).rejects.toThrow(
    "line 1: has a 'chosen' and a 'rejected' answer, and the rejected one would be imitated too; algorithm=offline_dpo",
  );
});

test.each([
  [
    { prompt: 'a', completion: 'b', label: false },
    "a completion with a 'label', an unpaired preference, from which nothing",
  ],
  [{ prompt: 'a', chosen: 'b' }, "'rejected' is missing"],
  [{ prompt: 'a', chosen: 'b', rejected: 'b' }, "the same answer as 'chosen' and as 'rejected'"],
  [
    { chosen: [asked, yes], rejected: [earlier[0], no] },
    "no 'prompt', and 'chosen' and 'rejected' begin with different messages",
  ],
  [{ chosen: 'yes', rejected: 'no' }, "no 'prompt', and 'chosen' and 'rejected' begin with different words"],
  [{ prompt: 'a', chosen: [asked], rejected: 'b' }, "'chosen' has no message of the assistant"],
  [{ prompt: 'a', chosen: 5, rejected: 'b' }, "'chosen' is the number 5, neither a text nor messages"],
  [{ prompt: [asked, yes], chosen: 'b', rejected: 'c' }, "'prompt' ends with a message of the assistant"],
  [{ prompt: 'a', chosen: 'b', rejected: 'c', margin: 2 }, "'margin' of an item"],
])('the preference %j is refused', async (item, message) => {
  const reading = readConversations(written(item), { preferences: true });
  await expect(reading).rejects.toThrow(message);
});

const attribute = (key: string, value: unknown) => ({ key, value: { stringValue: JSON.stringify(value) } });
const spans = (...list: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] });
const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const chat = (input: object[], reply: string, events: object[] = []) => ({
  traceId: 't1',
  name: 'chat',
  attributes: [
    attribute('gen_ai.input.messages', input),
    attribute('gen_ai.output.messages', [said('assistant', reply)]),
  ],
  events,
});

test('a trace may have spans on several lines: its longest call is kept, with the score of any of its calls', async () => {
  const score = {
    name: 'gen_ai.evaluation.result',
    attributes: [{ key: 'gen_ai.evaluation.score.value', value: { doubleValue: 0.5 } }],
  };
  const first = chat([said('user', 'a')], 'b', [score]);
  const second = chat([said('user', 'a'), said('assistant', 'b'), said('user', 'c')], 'd');
  const other = { ...chat([said('user', 'a')], 'b'), traceId: 't2' };
  const values = await valuesOf(written(spans(first), spans(second, other)));
  expect(values.map(({ messages, score: given }) => [messages.map(({ content }) => content).join(''), given])).toEqual([
    ['abcd', 0.5],
    ['ab', undefined],
  ]);
});

test('an event of a span may have the attributes', async () => {
  const { attributes, ...span } = chat([said('user', 'a')], 'b');
  const events = [{ name: 'gen_ai.client.inference.operation.details', attributes }];
  const [{ messages }] = await valuesOf(written(spans({ ...span, attributes: [], events })));
  expect(messages).toEqual([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ]);
});

/** Shapes of the OpenAPI description of POST /v1/responses. */
const responses = {
  id: 'resp_1',
  model: 'm',
  instructions: 'Be brief.',
  tools: [{ type: 'function', name: 'find', parameters: thing, strict: true }],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Where?' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I look.' }] },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c1',
      name: 'find',
      arguments: '{"thing": "cup"}',
      status: 'completed',
    },
    { type: 'function_call_output', call_id: 'c1', output: 'the hall' },
  ],
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'The hall.', annotations: [] }],
    },
  ],
  reward: 1,
};
const dialogue = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where?' },
  { role: 'assistant', content: '', reasoning_content: 'I look.', tool_calls: [call('c1', 'find', { thing: 'cup' })] },
  { role: 'tool', tool_call_id: 'c1', name: 'find', content: 'the hall' },
  { role: 'assistant', content: 'The hall.' },
];

test('Responses: items of one answer are one message; request and response may stand beside each other', async () => {
  const { output, ...request } = responses;
  const values = await valuesOf(written(responses, { request, response: { object: 'response', output } }));
  const { function: found } = tool('find', thing);
  const tools = [{ type: 'function', function: { ...found, strict: true } }];
  expect(values[0]).toEqual({ messages: dialogue, inputs: { tools }, score: 1 });
  expect(values[1].messages).toEqual(dialogue);
});

/** Shapes of https://docs.anthropic.com/en/api/messages. */
const anthropic = {
  model: 'm',
  max_tokens: 100,
  system: [{ type: 'text', text: 'Be brief.' }],
  tools: [{ name: 'find', input_schema: thing }],
  messages: [
    { role: 'user', content: 'Where?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look.', signature: 'x' },
        { type: 'tool_use', id: 'c1', name: 'find', input: { thing: 'cup' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'the hall' }] }],
    },
  ],
};

test('Anthropic: blocks are calls, thoughts and answers of tools', async () => {
  const response = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'The hall.' }],
    stop_reason: 'end_turn',
  };
  const [value] = await valuesOf(written({ request: anthropic, response }));
  expect(value).toEqual({ messages: dialogue, inputs: { tools: [tool('find', thing)] } });
});

test('Anthropic: a deferred tool is there once a search has found it', async () => {
  const tools = ['search', 'find', 'other'].map((name) => ({
    name,
    input_schema: thing,
    ...(name !== 'search' && { defer_loading: true }),
  }));
  const use = { type: 'tool_use', id: 'c1', name: 'search', input: { thing: 'cup' } };
  const block = { type: 'tool_reference', tool_name: 'find' };
  const searched = [
    { role: 'user', content: 'Where?' },
    { role: 'assistant', content: [use] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [block] }] },
    { role: 'assistant', content: 'It is there.' },
  ];
  const asked = [searched[0], searched[3]];
  const values = await valuesOf(written({ tools, messages: asked }, { tools, messages: searched }));
  const listed = values.map(({ inputs }) => inputs?.tools);
  expect(listed).toEqual([[tool('search', thing)], [tool('search', thing), tool('find', thing)]]);
  expect(values[1].messages[2]).toMatchObject({ role: 'tool', content: 'find' });
});

/** Fields of Harbor's RFC 0001, in a file over several lines as Harbor writes it. */
const atif = {
  schema_version: 'ATIF-v1.7',
  session_id: 's',
  trajectory_id: 'root',
  agent: { name: 'a', version: '1', tool_definitions: [tool('find', thing)] },
  steps: [
    { step_id: 1, source: 'system', message: 'Be brief.' },
    { step_id: 2, source: 'user', message: 'Where?', timestamp: '2026-10-05T12:00:00.000Z' },
    {
      step_id: 3,
      source: 'agent',
      message: '',
      reasoning_content: 'I look.',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'find', arguments: { thing: 'cup' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'the hall' }] },
      metrics: { prompt_tokens: 3 },
    },
    { step_id: 4, source: 'agent', message: 'The hall.' },
  ],
  subagent_trajectories: [
    {
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'child',
      agent: { name: 'b', version: '1' },
      steps: [
        { step_id: 1, source: 'user', message: 'a' },
        { step_id: 2, source: 'agent', message: 'b', is_copied_context: true },
        { step_id: 3, source: 'agent', message: '', observation: { results: [{ content: 'seen' }] } },
        { step_id: 4, source: 'agent', message: 'c' },
      ],
    },
  ],
  extra: { reward: 0.25 },
};

test('ATIF: a trajectory and its sub-agents, in a file over several lines and in a folder', async () => {
  const run = join(folder, 'run');
  mkdirSync(run);
  writeFileSync(join(run, 'trajectory.json'), JSON.stringify(atif, null, 2));
  for (const path of [run, join(run, 'trajectory.json')]) {
    expect(isConversationFile(path)).toBe(true);
    const { items, notes } = await readConversations(path);
    const [root, child] = items.map(({ value }) => value);
    expect(root).toEqual({ messages: dialogue, inputs: { tools: [tool('find', thing)] }, score: 0.25 });
    expect(child.messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', loss: false },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'seen' },
      { role: 'assistant', content: 'c' },
    ]);
    expect(notes).toEqual([
      '1 of 5 replies are not learned (weight 0)',
      '1 of 2 conversations have a reward, and it has no part in the loss; algorithm=filteredbc chooses by it',
      'left unread: session_id, trajectory_id, extra, step_id, timestamp, metrics',
    ]);
  }
});

/** Columns as Hugging Face’s datasets have them: `messages` is a list of structs. fixtures/write-parquet.mjs writes the files. */
test.each(['snappy', 'zstd', 'gzip'])('Parquet with %s: rows are items', async (codec) => {
  const path = fixture(`${codec}.parquet`);
  expect(isConversationFile(path)).toBe(true);
  const { items } = await readConversations(path);
  expect(items.map(({ place }) => place)).toEqual(['row 1', 'row 2', 'row 3']);
  expect(items[2].value).toEqual({
    messages: [
      { role: 'user', content: 'q3' },
      { role: 'assistant', content: 'a3' },
    ],
    inputs: {},
    score: 3,
  });
});

test('a damaged Parquet file whose reader would never end is refused', async () => {
  const whole = readFileSync(fixture('gzip.parquet'));
  const kept = [whole.subarray(0, 202), whole.subarray(218, 435), whole.subarray(451, 465), whole.subarray(473)];
  const path = join(folder, 'endless.parquet');
  writeFileSync(path, Buffer.concat(kept));
  await expect(readConversations(path)).rejects.toThrow(/endless.parquet: the Parquet file cannot be read: /);
}, 120_000);

/** The second column is damaged too. Its reader fails while this thread is busy, so that this thread gets the error after the rows. */
test('a Parquet file with two columns of one name is refused, and no other error ends the process', async () => {
  const reading = readConversations(fixture('damaged/one-name.parquet'));
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000), 20);
  await expect(reading).rejects.toThrow('cannot be read: unsupported: two columns have the name "text"');
});

test('a folder with several splits is read if one is named', async () => {
  const set = join(folder, 'set');
  mkdirSync(join(set, 'data'), { recursive: true });
  for (const name of ['train-00000-of-00001', 'test-00000-of-00001'])
    copyFileSync(fixture('snappy.parquet'), join(set, 'data', `${name}.parquet`));
  await expect(readConversations(set)).rejects.toThrow(`${set}: the folder has the splits test, train`);
  const { items } = await readConversations(set, { split: 'train' });
  expect(items.map(({ place }) => place)[0]).toBe('data/train-00000-of-00001.parquet, row 1');
  await expect(readConversations(set, { split: 'dev' })).rejects.toThrow(
    "the folder has the splits test, train, not 'dev'",
  );
});

test('bad items of every format at once, with their lines', async () => {
  const cut = { key: 'gen_ai.input.messages', value: { stringValue: '[{"role": "us' } };
  const path = written(
    { ...responses, output: [{ type: 'web_search_call' }] },
    { ...anthropic, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { ...atif, schema_version: 'ATIF-v2.0' },
    spans({ traceId: 't', name: 'chat', attributes: [cut] }),
    { resourceSpans: 3 },
    { ...anthropic, messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
    { output: [] },
  );
  await expect(readConversations(path)).rejects.toThrow(
    [
      `${path}: 7 of 7 items cannot be used`,
      '  line 1: item 5 (web_search_call) is not read; known types: message, reasoning, function_call, function_call_output',
      "  line 2: 'tools[0].type' of the item is 'web_search_20250305', a tool that a server runs, and there is none here; write a tool of your own",
      '  line 3: \'schema_version\' is the text "ATIF-v2.0"; versions ATIF-v1.0 to ATIF-v1.7 are read',
      "  line 4: 'gen_ai.input.messages' is a text that is not JSON; a limit of the exporter may have cut it (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT)",
      "  line 5: 'resourceSpans' is the number 3, not an array",
      "  line 6: 'content[0].type' of message 1 is 'image', which cannot be read in 'content[0]'; this model reads text only",
      "  line 7: has no 'input': a response alone does not say what it answers; give the request beside it",
    ].join('\n'),
  );
});

test('a named format refuses items of another one', async () => {
  const path = written(atif);
  expect((await readConversations(path, { format: 'atif' })).items).toHaveLength(2);
  await expect(readConversations(path, { format: 'otlp' })).rejects.toThrow(
    "which is of the format 'atif', not of the format 'otlp'",
  );
});

/** fixtures/write-parquet.mjs writes the file: one column has structs of two tools and of calls with their arguments. */
test('Parquet: a row has the keys that it had before it was written, and numbers have all of their digits', async () => {
  const [light, radio] = await valuesOf(fixture('structs.parquet'));
  const argumentsOf = ({ messages }: typeof light) => {
    const [{ function: called }] = messages[1].tool_calls as { function: { arguments: object } }[];
    return jsonAsWritten(called.arguments);
  };
  expect([light, radio].map(argumentsOf)).toEqual([
    '{"room":"hall","on":true,"share":1.0}',
    '{"station":"P1","id":7318204915520000013}',
  ]);
  const propertiesOf = ({ inputs }: typeof light) => {
    const [{ function: called }] = inputs!.tools as unknown as { function: { parameters: { properties: object } } }[];
    return jsonAsWritten(called.parameters.properties);
  };
  expect([light, radio].map(propertiesOf)).toEqual([
    '{"share":{"type":"number","minimum":0.0}}',
    '{"id":{"type":"integer","maximum":9223372036854775807}}',
  ]);
});

const result = (id: string, response: unknown) => ({ type: 'tool_call_response', id, response });
const calls = (...ids: string[]) => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool_call', id, name: 'f', arguments: {} })),
});
const text = (content: string) => ({ type: 'text', content });

test.each([
  ['results alone', [result('a', 'x'), result('b', 'y')], ['tool:x', 'tool:y']],
  ['a text between', [result('a', 'x'), text('hm'), result('b', 'y')], ['tool:x', 'user:hm', 'tool:y']],
  ['a text behind', [result('a', 'x'), result('b', 'y'), text('and?')], ['tool:x', 'tool:y', 'user:and?']],
  ['an empty text', [text(''), result('a', 'x'), result('b', 'y')], ['tool:x', 'tool:y']],
])(
  'gen_ai: %s in a message of the user stand in their order, and leave no empty message',
  async (_, parts, expected) => {
    for (const role of ['user', 'tool']) {
      const span = chat([said('user', 'q'), calls('a', 'b'), { role, parts }], 'done');
      const [{ messages }] = await valuesOf(written(spans(span)));
      expect(messages.slice(2, -1).map((each) => `${each.role}:${String(each.content)}`)).toEqual(expected);
    }
  },
);

test('gen_ai: the role model is the assistant', async () => {
  const called = { ...calls('a'), role: 'model' };
  const span = chat(
    [said('user', 'q'), called, { role: 'user', parts: [result('a', 'x')] }, said('model', 'hm')],
    'done',
  );
  const [{ messages }] = await valuesOf(written(spans(span)));
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'assistant']);
});

test('gen_ai: the text of a tool without its call is not taken for one of the user', async () => {
  const span = chat([said('user', 'q'), calls('a'), said('tool', '17')], 'done');
  await expect(valuesOf(written(spans(span)))).rejects.toThrow(
    'message 3 is of a tool and has text alone; its result is a part of type "tool_call_response"',
  );
});

test.each(['image_url', 'input_audio', 'input_text', 'output_text', 'refusal', 'file', 'video'])(
  'a part of type %s is refused by its name',
  async (type) => {
    const messages = [{ role: 'user', content: [{ type, [type]: 'x', text: 'x' }] }, yes];
    await expect(valuesOf(written({ messages }))).rejects.toThrow(
      `'content[0].type' of message 1 is '${type}', which cannot be read; it must be 'text', as this model reads text only`,
    );
  },
);

test('a repeated key in the arguments of a learned call is refused', async () => {
  const of = (more: object) => ({
    messages: [
      asked,
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a":1,"a":2}' } }], ...more },
      yes,
    ],
  });
  await expect(valuesOf(written(of({})))).rejects.toThrow(
    'the arguments of the call of f in message 2 are a text that has an object with the key "a" twice',
  );
  const [{ messages }] = await valuesOf(written(of({ weight: 0 })));
  const [{ function: called }] = messages[1].tool_calls as { function: { arguments: object } }[];
  expect(textAsWritten(called.arguments)).toBe('{"a":1,"a":2}');
});

test('AI SDK: a result is unwrapped where it is named output and has one of its types', async () => {
  const results = [
    { result: { type: 'text', value: 356, door: 'open' } },
    { result: { type: 'json', value: 1 } },
    { output: { type: 'json', value: { type: 'x', value: 1.5 } } },
    { output: { type: 'fahrenheit', value: 356 } },
    { output: { type: 'execution-denied', reason: 'no' } },
    { output: { type: 'error-text', value: 'gone' } },
  ];
  const prompt = [
    { role: 'user', content: [{ type: 'text', text: 'q' }] },
    {
      role: 'assistant',
      content: results.map((_, i) => ({ type: 'tool-call', toolCallId: `c${i}`, toolName: 'f', args: {} })),
    },
    {
      role: 'tool',
      content: results.map((each, i) => ({ type: 'tool-result', toolCallId: `c${i}`, toolName: 'f', ...each })),
    },
  ];
  const attributes = [
    attribute('ai.prompt.messages', prompt),
    { key: 'ai.response.text', value: { stringValue: 'ok' } },
  ];
  const [{ messages }] = await valuesOf(written(spans({ traceId: 't', name: 'x', attributes })));
  expect(messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))).toEqual([
    '{"type":"text","value":356,"door":"open"}',
    '{"type":"json","value":1}',
    '{"type":"x","value":1.5}',
    '{"type":"fahrenheit","value":356}',
    'no',
    'gone',
  ]);
});

const anthropicOf = (...content: object[]) => ({
  ...anthropic,
  system: [...anthropic.system, { type: 'text', text: 'In French.' }],
  messages: [...anthropic.messages.slice(0, 2), { role: 'user', content }, { role: 'assistant', content: 'ok' }],
});

test('Anthropic: blocks are lines, user text keeps its place, a failed result is marked, as in serving', async () => {
  const line = (content: string) => ({ type: 'text', text: content });
  const failed = { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: [line('no'), line('hall')] };
  const [{ messages }] = await valuesOf(written(anthropicOf(line('a'), line('b'), failed, line('c'))));
  expect(messages.map(({ role, content }) => `${role}:${String(content)}`)).toEqual([
    'system:Be brief.\nIn French.',
    'user:Where?',
    'assistant:',
    'user:a\nb',
    'tool:Error: no\nhall',
    'user:c',
    'assistant:ok',
  ]);
});

const cutSpan = (reason: string, more: object[] = []) => ({
  traceId: 't',
  name: 'chat',
  attributes: [
    attribute('gen_ai.input.messages', [said('user', 'q')]),
    attribute('gen_ai.output.messages', [{ ...said('assistant', 'An answ'), finish_reason: reason }]),
    ...more,
  ],
});
const sdkSpan = {
  traceId: 't',
  name: 'x',
  attributes: [
    attribute('ai.prompt.messages', [{ role: 'user', content: 'q' }]),
    { key: 'ai.response.text', value: { stringValue: 'An answ' } },
    { key: 'ai.response.finishReason', value: { stringValue: 'length' } },
  ],
};
const finishReasons = {
  key: 'gen_ai.response.finish_reasons',
  value: { arrayValue: { values: [{ stringValue: 'length' }] } },
};

test.each<[string, object]>([
  ['gen_ai, length', spans(cutSpan('length'))],
  ['gen_ai, MAX_TOKENS', spans(cutSpan('MAX_TOKENS'))],
  ...['model_length', 'max_output_tokens', 'guardrail_intervened', 'BLOCKLIST', 'insufficient_system_resource'].map(
    (reason): [string, object] => [`gen_ai, ${reason}`, spans(cutSpan(reason))],
  ),
  ['gen_ai, of the span alone', spans(cutSpan('', [finishReasons]))],
  ['AI SDK', spans(sdkSpan)],
  [
    'responses',
    { input: 'q', status: 'incomplete', output: [{ type: 'message', role: 'assistant', content: 'An answ' }] },
  ],
  [
    'responses, the item alone',
    { input: 'q', output: [{ type: 'message', role: 'assistant', content: 'An answ', status: 'incomplete' }] },
  ],
  [
    'anthropic',
    {
      request: { messages: [{ role: 'user', content: 'q' }] },
      response: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'An answ' }],
        stop_reason: 'max_tokens',
      },
    },
  ],
  ...['length', 'stop_sequence'].map((finish_reason): [string, object] => [
    `chat, ${finish_reason}`,
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'An answ', finish_reason },
      ],
    },
  ]),
])('%s: an answer that was cut off is known, and counted', async (_, item) => {
  const { items, notes } = await readConversations(written(item));
  expect(items[0].value.messages).toEqual([
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'An answ', cut: true },
  ]);
  expect(notes).toContain(
    '1 of 1 replies were cut off (by a limit of tokens, a stop text, or a failure): their end is not learned',
  );
});

const begun = { name: 'f', arguments: '{"city": "Ri' };
const begunSpan = cutSpan('length');
begunSpan.attributes[1] = attribute('gen_ai.output.messages', [
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', ...begun }], finish_reason: 'length' },
]);

test.each<[string, object]>([
  ['gen_ai', spans(begunSpan)],
  ['responses', { input: 'q', status: 'incomplete', output: [{ type: 'function_call', call_id: 'c', ...begun }] }],
  [
    'chat',
    {
      messages: [asked, { role: 'assistant', finish_reason: 'length', tool_calls: [{ id: 'c', function: begun }] }],
    },
  ],
])('%s: an answer that was cut off within the arguments of a call is not learned, and others are', async (_, item) => {
  const whole = { messages: [asked, yes] };
  const { items, notes } = await readConversations(written(item, whole));
  expect(items.map(({ value: { messages } }) => messages.at(-1))).toEqual([
    expect.objectContaining({ cut: true, loss: false }),
    yes,
  ]);
  expect(notes).toContain('1 of 2 replies are not learned (weight 0)');
});

test.each(['stop', 'tool_calls', 'end_turn', 'STOP', 'completed'])('%s is the model’s own end', async (reason) => {
  const { items, notes } = await readConversations(written(spans(cutSpan(reason))));
  expect(items[0].value.messages[1]).toEqual({ role: 'assistant', content: 'An answ' });
  expect(notes.join()).not.toContain('cut off');
});

test('an answer that was cut off stays so within the longer dialogue that continues it', async () => {
  const longer = chat([said('user', 'q'), said('assistant', 'An answ'), said('user', 'go on')], 'er.');
  const [{ messages }] = await valuesOf(written(spans(cutSpan('length')), spans({ ...longer, traceId: 't' })));
  expect(messages.map(({ cut }) => cut ?? false)).toEqual([false, true, false, false]);
});
