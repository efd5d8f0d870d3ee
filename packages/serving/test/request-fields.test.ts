// Tests every field of a request: a served one changes the answer or is checked, a refused one is named, and the docs page says
// the same.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { sendJson, tinyLlama } from '@bowyer/testing';
import { fieldTables } from '../src/protocols/protocols.js';
import { chatFields, nestedChatFields as nestedFields } from '../src/protocols/chat-completions/known-fields.js';
import { textFields } from '../src/protocols/completions/known-fields.js';
import type { FieldRules } from '../src/protocols/fields/field-rules.js';
import { ModelServer, type ModelServerOptions } from '../src/model-server/model-server.js';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { usual } from './tiny-server.js';

const repository = resolve(import.meta.dirname, '../../..');

// A vocabulary of words that includes ChatML's marks.
const words =
  ' is it a dog or a cat ? yes . no the big red fox runs over my old house\nuser\nassistant\nis\nthe\nbig\nno\n';
const tokenizer = wordLevelTokenizer([words], { wholeTokens: ['[start]', '[end]', '\n'] });
const stepped = new SteppedTokenizer(tokenizer);
const config = tinyLlama(96, { num_hidden_layers: 2 });
const chatml =
  "{% for m in messages %}{{ '[start]' + m.role + '\n' + m.content + '[end]' + '\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '[start]' + 'assistant\n' }}{% endif %}";

const device = await openDevice({ device: 'cpu', threads: 1 });
const faults: Error[] = [];
const serve = (options: Partial<ModelServerOptions> = {}) =>
  ModelServer.listen({
    ...usual,
    model,
    tokenizer: stepped,
    template: chatTemplate(chatml, stepped),
    splitsMessages: true,
    onFault: (error) => faults.push(error),
    defaults: { temperature: 0, topK: 0, topP: 1, maxTokens: 12 },
    ...options,
  });
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const server = await serve();
afterAll(async () => {
  await server.close();
  await device.close();
});
afterEach(() => expect(faults.splice(0)).toEqual([]));

interface Body {
  prompt_token_ids: number[];
  choices: {
    message: { content: string };
    text: string;
    token_ids: number[];
    prompt_token_ids: number[];
    finish_reason: string;
  }[];
  error: { message: string; param: string | null; code: string | null };
}

const post = (path: string, json: object | string, at = server) => sendJson<Body>(`${at.url}/${path}`, json);

const messages = [{ role: 'user', content: 'is it a dog' }];
const chat = (more: object = {}, at = server) => post('chat/completions', { messages, max_tokens: 6, ...more }, at);
const complete = (more: object = {}) => post('completions', { prompt: 'is it a', max_tokens: 6, ...more });
const routes = [
  ['chats', chat, chatFields],
  ['completions', complete, textFields],
] as const;

test('the page lists every field with what happens to it', () => {
  const page = readFileSync(join(repository, 'docs/models/request-fields.md'), 'utf8');
  for (const table of fieldTables()) expect(page).toContain(table);
});

/** Values that served fields refuse; numbers for fields that take any text, and the reverse. */
const wrong: Record<string, unknown> = {
  model: 5,
  chat_template_kwargs: 5,
  reasoning_effort: 5,
  chat_template: 5,
  truncation_side: 'top',
};

describe.each(routes)('%s', (_, ask, fields) => {
  const named = (kind: string) => Object.keys(fields).filter((name) => fields[name].kind === kind);

  test.each(named('served'))('%s is read: a value of another kind is refused by its name', async (name) => {
    const { status, body } = await ask({ [name]: wrong[name] ?? { no: ['such', 'value'] } });
    expect(status).toBe(400);
    expect(body.error.param).toMatch(new RegExp(`^${name}`));
  });

  test('harmless fields change nothing', async () => {
    const plain = await ask({ return_token_ids: true });
    const given = Object.fromEntries(named('harmless').map((name) => [name, { some: 'value' }]));
    const { status, body } = await ask({ return_token_ids: true, ...given });
    expect(status).toBe(200);
    expect(body.choices).toEqual(plain.body.choices);
  });

  test.each(named('refused'))(
    '%s is refused by its name, and is as good as left out with a value of no effect',
    async (name) => {
      const rule = fields[name];
      const { status, body } = await ask({ [name]: { no: ['such', 'value'] } });
      expect([status, body.error.param]).toEqual([400, name]);
      expect(body.error.message).toContain(`'${name}' is not supported by this server`);
      const neutral = rule.kind === 'refused' ? [null, ...rule.unless] : [];
      const answers = await Promise.all(neutral.map((value) => ask({ [name]: value })));
      expect(answers.map((answer) => answer.status)).toEqual(neutral.map(() => 200));
    },
  );

  test.each([
    ['max_token', 'max_tokens'],
    ['temprature', 'temperature'],
    ['stop_token_id', 'stop_token_ids'],
  ])('%s is not a field: %s is', async (name, meant) => {
    const { status, body } = await ask({ [name]: 1 });
    expect([status, body.error.param, body.error.code]).toEqual([400, name, 'unknown_parameter']);
    expect(body.error.message).toContain(`did you mean '${meant}'?`);
  });

  test.each(['__proto__', 'constructor', 'toString', 'x'.repeat(10_000)])('%s is not a field', async (name) => {
    const { status, text, body } = await ask(JSON.parse(`{"${name}": 1}`) as object);
    expect(status).toBe(400);
    expect(body.error.message).toContain('is not a field of a request');
    expect(text.length).toBeLessThan(2_000);
  });
});

/** Returns an object with a field at a place within a request, such as `messages[].tool_calls[]`. */
function nested(place: string, field: object): object {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const tool = { type: 'function', function: { name: 'f' } };
  const calling = { role: 'assistant', content: '', tool_calls: [call] };
  const places: Record<string, object> = {
    stream_options: { stream_options: field },
    response_format: { response_format: { type: 'text', ...field } },
    'response_format.json_schema': {
      response_format: { type: 'json_schema', json_schema: { schema: true, ...field } },
    },
    'messages[]': { messages: [{ ...messages[0], ...field }] },
    'messages[].content[]': { messages: [{ role: 'user', content: [{ type: 'text', text: 'no', ...field }] }] },
    'messages[].tool_calls[]': { messages: [...messages, { ...calling, tool_calls: [{ ...call, ...field }] }] },
    'messages[].function_call': {
      messages: [...messages, { role: 'assistant', content: '', function_call: { ...call.function, ...field } }],
    },
    'messages[].tool_calls[].function': {
      messages: [...messages, { ...calling, tool_calls: [{ ...call, function: { ...call.function, ...field } }] }],
    },
    'tools[]': { tools: [{ ...tool, ...field }], tool_choice: 'none' },
    'tools[].function': { tools: [{ ...tool, function: { ...tool.function, ...field } }], tool_choice: 'none' },
  };
  return places[place];
}

/** Fields that take any object. */
const anyObject = [
  'tools[].function.parameters',
  'messages[].tool_calls[].function.arguments',
  'messages[].function_call.arguments',
  'response_format.json_schema.schema',
];

/** Objects that are read; the words of this vocabulary cannot spell JSON, so that no answer can follow a schema. */
const unserved = ['response_format.json_schema'];

describe.each(Object.entries(nestedFields) as [string, FieldRules][])('fields of %s', (place, rules) => {
  test.each(Object.keys(rules))('%s', async (name) => {
    const rule = rules[name];
    const given = await chat(nested(place, { [name]: { no: ['such', 'value'] } }));
    if (rule.kind === 'harmless' && !unserved.includes(place)) expect(given.status).toBe(200);
    else if (!anyObject.includes(`${place}.${name}`)) {
      expect(given.status).toBe(400);
      expect(given.body.error.param).toContain(unserved.includes(place) ? 'response_format' : name);
    }
    for (const value of rule.kind === 'refused' ? rule.unless : [])
      expect((await chat(nested(place, { [name]: value }))).status).toBe(200);
  });

  test('an unknown one is refused', async () => {
    const { status, body } = await chat(nested(place, { no_such_field: 1 }));
    expect([status, body.error.code]).toEqual([400, 'unknown_parameter']);
    expect(body.error.param).toContain('no_such_field');
  });
});

const spelled = (ids: readonly number[]) => tokenizer.decode(ids, { keepSpecialTokens: true });

test('continue_final_message: the prompt ends with the open message, and the answer continues it', async () => {
  const dialogue = [...messages, { role: 'assistant', content: 'the big' }];
  const asked = {
    messages: dialogue,
    continue_final_message: true,
    add_generation_prompt: false,
    return_token_ids: true,
  };
  const { body } = await chat(asked);
  expect(spelled(body.prompt_token_ids)).toBe('[start]user\nis it a dog[end]\n[start]assistant\nthe big');
  const raw = await complete({ prompt: body.prompt_token_ids });
  expect(body.choices[0].message.content).toBe(raw.body.choices[0].text);
  const { body: alone } = await chat({ messages: dialogue, continue_final_message: true, return_token_ids: true });
  expect(alone.prompt_token_ids).toEqual(body.prompt_token_ids);
});

test.each<[string, object, RegExp]>([
  ['both', { add_generation_prompt: true }, /contradicts itself/],
  ['a user’s message', { messages }, /needs an assistant's message of text/],
  [
    'calls',
    { messages: [...messages, { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }] },
    /needs an assistant's message of text/,
  ],
])('continue_final_message with %s is refused', async (_, more, problem) => {
  const dialogue = { messages: [...messages, { role: 'assistant', content: 'the big' }] };
  const { status, body } = await chat({ ...dialogue, continue_final_message: true, ...more });
  expect([status, body.error.param]).toEqual([400, 'continue_final_message']);
  expect(body.error.message).toMatch(problem);
});

test('continue_final_message is refused where the template changes the message', async () => {
  const upper = await serve({ template: chatTemplate(chatml.replace('m.content', 'm.content | upper'), stepped) });
  const dialogue = [...messages, { role: 'assistant', content: 'the big' }];
  const { status, body } = await chat({ messages: dialogue, continue_final_message: true }, upper);
  expect([status, body.error.message]).toEqual([
    400,
    expect.stringContaining('does not write the last message as it is'),
  ]);
  await upper.close();
});

test('add_generation_prompt: false ends the prompt behind the last message', async () => {
  const { body } = await chat({ add_generation_prompt: false, return_token_ids: true });
  expect(spelled(body.prompt_token_ids)).toBe('[start]user\nis it a dog[end]\n');
});

test('min_tokens: neither a token nor a text ends the answer before; ignore_eos: only the request’s own tokens do', async () => {
  const plain = (await complete({ max_tokens: 12, return_token_ids: true })).body.choices[0].token_ids;
  const second = plain[1];
  const ended = (more: object) =>
    complete({ max_tokens: 12, return_token_ids: true, ...more }).then(({ body }) => body.choices[0]);
  const stopped = await ended({ stop_token_ids: [second] });
  expect([stopped.finish_reason, stopped.token_ids.length]).toEqual(['stop', plain.indexOf(second) + 1]);
  const later = await ended({ stop_token_ids: [second], min_tokens: 5 });
  expect(later.token_ids.slice(0, 5)).not.toContain(second);
  expect(later.token_ids.length).toBeGreaterThanOrEqual(5);

  const text = tokenizer.decode([second]);
  const cut = (await complete({ max_tokens: 12, stop: text })).body.choices[0].text;
  const whole = (await complete({ max_tokens: 12, stop: text, min_tokens: 12 })).body.choices[0].text;
  expect(whole.length).toBeGreaterThan(cut.length);
  expect(whole).toContain(text);

  const ending = await serve({ terminatorIds: [second] });
  const at = async (more: object) =>
    (await post('completions', { prompt: 'is it a', max_tokens: 12, return_token_ids: true, ...more }, ending)).body
      .choices[0];
  expect((await at({})).token_ids).toEqual(plain.slice(0, plain.indexOf(second) + 1));
  expect((await at({ ignore_eos: true })).token_ids.slice(0, plain.length)).toEqual(plain);
  expect((await at({ ignore_eos: true, stop_token_ids: [second] })).finish_reason).toBe('stop');
  await ending.close();
  const { status, body } = await complete({ min_tokens: 7, max_tokens: 6 });
  expect([status, body.error.message]).toEqual([400, "'min_tokens' is 7, and the answer has at most 6 tokens"]);
});

test('allowed_token_ids and bad_words choose as a loop over the tokens would', async () => {
  const allowed = tokenizer.encode('yes no fox');
  const asked = { max_tokens: 8, return_token_ids: true };
  const { choices } = (await complete({ ...asked, allowed_token_ids: allowed })).body;
  expect(choices[0].token_ids).toHaveLength(8);
  expect(choices[0].token_ids.filter((id) => !allowed.includes(id))).toEqual([]);
  const seeded = { ...asked, allowed_token_ids: allowed, temperature: 2, n: 4, seed: 1 };
  const sampled = (await complete(seeded)).body.choices.flatMap(({ token_ids: ids }) => ids);
  expect(new Set(sampled)).toEqual(new Set(allowed));

  const plain = (await complete(asked)).body.choices[0];
  const word = tokenizer.decode([plain.token_ids[0]]);
  const without = (await complete({ ...asked, bad_words: [word] })).body.choices[0];
  expect(plain.text).toContain(word);
  expect(without.text).not.toContain(word);
  expect(without.token_ids).toHaveLength(8);
});

test('truncate_prompt_tokens leaves the last or the first tokens, or as many as the answer has room for', async () => {
  const prompt = 'is it a dog or a cat ? yes . no '.repeat(20).trim();
  const ids = tokenizer.encode(prompt);
  expect(ids.length).toBeGreaterThan(96);
  const asked = { prompt, return_token_ids: true };
  const left = async (more: object) => {
    const { body } = await complete({ ...asked, ...more });
    return body.choices[0].prompt_token_ids;
  };
  expect((await complete(asked)).status).toBe(400);
  expect(await left({ truncate_prompt_tokens: 5 })).toEqual(ids.slice(-5));
  expect(await left({ truncate_prompt_tokens: 5, truncation_side: 'right' })).toEqual(ids.slice(0, 5));
  expect(await left({ truncate_prompt_tokens: -1, max_tokens: 6 })).toEqual(ids.slice(-90));
  expect(await left({ prompt: ids, truncate_prompt_tokens: 5 })).toEqual(ids.slice(-5));
  const long = await chat({
    messages: [{ role: 'user', content: prompt }],
    truncate_prompt_tokens: 7,
    return_token_ids: true,
  });
  expect(spelled(long.body.prompt_token_ids)).toBe(' . no[end]\n[start]assistant\n');
});

test('chat_template of a request, where the server trusts it', async () => {
  const source = "{% for m in messages %}{{ m.content + ' ?' }}{% endfor %}";
  const { status, body } = await chat({ chat_template: source });
  expect([status, body.error.param]).toEqual([400, 'chat_template']);
  expect(body.error.message).toContain('trust_request_chat_template=true');
  const trusting = await serve({ templateOf: (text) => chatTemplate(text, stepped) });
  const answer = await chat({ chat_template: source, return_token_ids: true }, trusting);
  expect(spelled(answer.body.prompt_token_ids)).toBe('is it a dog ?');
  const endless = await chat({ chat_template: '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}' }, trusting);
  const unread = await chat({ chat_template: '{% if %}' }, trusting);
  expect([endless.status, unread.status, unread.body.error.param]).toEqual([400, 400, 'chat_template']);
  await trusting.close();
});

test('reasoning_effort reaches the template, and chat_template_kwargs precede it', async () => {
  const source = "{{ reasoning_effort or 'no' }}{{ ' yes' if enable_thinking else ' no' }}";
  const own = await serve({ template: chatTemplate(source, stepped) });
  const promptOf = async (more: object) =>
    spelled((await chat({ return_token_ids: true, ...more }, own)).body.prompt_token_ids);
  expect(await promptOf({ reasoning_effort: 'big' })).toBe('big yes');
  expect(await promptOf({ reasoning_effort: 'big', chat_template_kwargs: { enable_thinking: false } })).toBe('big no');
  expect(await promptOf({})).toBe('no no');
  const misspelt = await chat({ chat_template_kwargs: { enable_thinkng: false } }, own);
  expect([misspelt.status, misspelt.body.error]).toEqual([
    400,
    expect.objectContaining({
      param: 'chat_template_kwargs',
      message:
        "'chat_template_kwargs' has the variable 'enable_thinkng', which the template does not read; it reads enable_thinking, reasoning_effort",
    }),
  ]);
  await own.close();
  const plain = await serve({ template: chatTemplate('{{ messages[0].content }}', stepped) });
  const { status, body } = await chat({ chat_template_kwargs: { enable_thinking: false } }, plain);
  expect([status, body.error.param]).toEqual([400, 'chat_template_kwargs']);
  expect(body.error.message).toMatch(/'enable_thinking'.* it has no variables of its own/);
  expect((await chat({ reasoning_effort: 'low' }, plain)).status).toBe(200);
  await plain.close();
});

/** Levels of nesting that a recursive function's stack could not hold. */
const DEEP = 5_000;
const brackets = '['.repeat(DEEP) + ']'.repeat(DEEP);
const deep = (before: string, after: string) =>
  `{"messages":[{"role":"user","content":"no"}],${before}${brackets}${after}}`;
const arguments_ = JSON.stringify(brackets);
test.each([
  [
    'arguments',
    `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${arguments_}}}]}]}`,
  ],
  [
    'arguments as a value',
    `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${brackets}}}]}]}`,
  ],
  ['content', `{"messages":[{"role":"user","content":${brackets}}]}`],
  ['an unknown field', deep('"x":', '')],
  ['chat_template_kwargs', deep('"chat_template_kwargs":{"x":', '}')],
  ['tools', deep('"tools":[{"type":"function","function":{"name":"f","parameters":{"x":', '}}}]')],
  ['documents', deep('"documents":[{"x":', '}]')],
  ['response_format', deep('"response_format":', '')],
  ['stop', deep('"stop":', '')],
  ['logit_bias', deep('"logit_bias":', '')],
])('5,000 brackets in %s: status 400, without a trace of the stack', async (_, body) => {
  const { status, text } = await post('chat/completions', body);
  expect(status).toBe(400);
  expect(text).toMatch(/arrays and objects within each other/);
  expect(text).not.toMatch(/ at |\.ts|\.js/);
});

test.each<[string, unknown, string]>([
  ['seed', 9007199254740993, 'must be an integer of at most 9007199254740991'],
  ['seed', 2 ** 63, 'must be an integer of at most 9007199254740991'],
  ['seed', -(2 ** 63), 'must be an integer from -9007199254740991 to 9007199254740991'],
  ['seed', 'x', 'must be an integer from -9007199254740991 to 9007199254740991'],
  ['max_tokens', 2 ** 60, 'must be an integer of at most 9007199254740991'],
  ['max_tokens', -1, 'must be an integer of at least 1'],
  ['max_tokens', '5', 'must be an integer of at least 1'],
  ['min_tokens', 1e300, 'must be an integer of at most 9007199254740991'],
  ['n', 69, 'must be an integer from 1 to 68'],
  ['top_p', -1e-9, 'must be a number from 0 to 1'],
  ['repetition_penalty', 1e-40, 'must be a number from 0.01 to 100'],
])('%s=%p: %s', async (name, value, problem) => {
  for (const ask of [chat, complete])
    expect((await ask({ [name]: value })).body.error.message).toBe(`'${name}' ${problem}`);
});

test.each([1e-40, 1e-320, 1e-13])('a temperature of %d is greedy', async (temperature) => {
  const [cold, greedy] = await Promise.all(
    [temperature, 0].map((t) => complete({ temperature: t, seed: 3, max_tokens: 20 })),
  );
  expect(cold.body.choices).toEqual(greedy.body.choices);
});

test.each([0, 1e-40, 1e-320])('a top_p of %d leaves the most likely token', async (top_p) => {
  const nucleus = await complete({ temperature: 2, top_p, seed: 3, max_tokens: 20 });
  expect(nucleus.body.choices).toEqual((await complete({ temperature: 0, max_tokens: 20 })).body.choices);
});
