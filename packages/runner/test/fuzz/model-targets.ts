// Servers of models as targets of damaged requests: one of words, with unconstrained answers, and one of characters, whose
// answers can be constrained to JSON and tool calls.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel, SentenceEncoder } from '@bowyer/models';
import { EmbeddingServer, ModelServer, SteppedTokenizer, type ModelServerOptions } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { repository } from '../command-line.js';
import { damageBytes, damageJson, growJson } from './mutations.js';
import { damageRequest, Faults, LANES, request, send } from './requests.js';
import { llama, type OpenTarget, type Target } from './target.js';

const limits = { host: '127.0.0.1', port: 0, apiKey: null, maxQueued: 64 };
export const modelLimits = {
  ...limits,
  name: 'tiny',
  seed: 1,
  slots: 4,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 2 },
} satisfies Partial<ModelServerOptions>;

interface Served {
  server: { url: string; close(): Promise<void> };
  device: Device;
  faults: Faults;
}

const overHttp = (seeds: readonly Uint8Array[], { server, device, faults }: Served): Target => ({
  seeds,
  damage: damageRequest,
  lanes: LANES,
  read: (input) => faults.during(send(server.url, input)),
  close: async () => {
    await server.close();
    await device.close();
  },
});

const wordServer: OpenTarget = async () => {
  const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no .\n']);
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.create({ device, config: llama, tokenizer, rng: new Rng(5) });
  const stepped = new SteppedTokenizer(tokenizer);
  const template = chatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}', stepped);
  const faults = new Faults();
  const server = await ModelServer.listen({
    ...modelLimits,
    model,
    tokenizer: stepped,
    template,
    onFault: faults.add,
  });
  const messages = [{ role: 'user', content: 'is it a dog ?' }];
  const seeds = [
    request('POST', '/v1/chat/completions', { messages, max_tokens: 2, temperature: 0.5, top_p: 0.9, stop: ['.'] }),
    request('POST', '/v1/completions', { prompt: ['is it', 'a cat'], n: 2, max_tokens: 2, logprobs: 1, seed: 3 }),
    request('POST', '/v1/completions', { prompt: [1, 2, 3], max_tokens: 0, echo: true, logprobs: 0, stream: false }),
    request('GET', '/v1/models'),
    request('GET', '/health'),
  ];
  return overHttp(seeds, { server, device, faults });
};

const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((c) => c !== ' ');
const marks = ['[start]', '[end]', '<think>', '</think>', '<tool_call>', '</tool_call>', '\n', ' '];
const call =
  '<tool_call>\n{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>';
const template =
  `{{ tools | tojson if tools }}{{ documents | tojson if documents }}{{ a }}{% for m in messages %}[start]{{ m.content }}{% for c in m.tool_calls or [] %}${call}` +
  '{% endfor %}[end]{% endfor %}{% if add_generation_prompt %}[start]{% endif %}';

/** Makes a model that can write JSON, and calls in Hermes' form. */
export async function characterModel() {
  const tokenizer = wordLevelTokenizer([characters.join('\n')], { wholeTokens: [...marks, ...characters] });
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const { vocab_size: _, ...sizes } = llama;
  const config = { ...sizes, max_position_embeddings: 2048 };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
  const stepped = new SteppedTokenizer(tokenizer);
  const chat = {
    template: chatTemplate(template, stepped),
    terminatorIds: [tokenizer.tokenToId('[end]')!],
    splitsMessages: true,
  };
  const faults = new Faults();
  return { options: { ...modelLimits, model, tokenizer: stepped, ...chat, onFault: faults.add }, device, faults };
}

const schema = {
  type: 'object',
  properties: {
    zone: { type: 'string', enum: ['Oslo', 'Rome'] },
    at: { type: 'string', pattern: '^[0-9]{1,2}:[0-9]{2}$', minLength: 4 },
    days: { type: 'array', items: { $ref: '#/$defs/day' }, minItems: 1, maxItems: 7 },
    more: { anyOf: [{ type: 'null' }, { type: 'number', minimum: 0, maximum: 12.5 }, { const: 'x' }] },
  },
  required: ['zone'],
  additionalProperties: false,
  $defs: { day: { type: 'integer', minimum: 1, maximum: 31 } },
};
const described = { name: 'clock', description: 'The time', parameters: schema };
const asked = { role: 'user', content: 'Time?' };

const callSeeds = (): Buffer[] => {
  const chat = (body: object) => request('POST', '/v1/chat/completions', { messages: [asked], max_tokens: 3, ...body });
  const tools = [{ type: 'function', function: { ...described, strict: true } }];
  const made = { id: 'c', type: 'function', function: { name: 'clock', arguments: '{"zone": "Oslo", "days": [1]}' } };
  const history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Time?' }] },
    { role: 'assistant', content: null, reasoning_content: 'I look.', tool_calls: [made] },
    { role: 'tool', tool_call_id: 'c', content: '9:00' },
  ];
  return [
    chat({ tools, tool_choice: 'required', parallel_tool_calls: false }),
    chat({ messages: history, tools, tool_choice: { type: 'function', function: { name: 'clock' } }, stream: true }),
    chat({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } }, n: 2 }),
    chat({ response_format: { type: 'json_object' }, logprobs: true, top_logprobs: 2, logit_bias: { 5: -3 } }),
    chat({ bad_words: ['a'], allowed_token_ids: [5, 6, 7], min_tokens: 1, truncate_prompt_tokens: 9, stop: ['x'] }),
    chat({ chat_template_kwargs: { a: [1] }, documents: [{ title: 'b', text: 'c' }], reasoning_effort: 'low' }),
  ];
};

/**
 * Lists requests for responses.
 *
 * @param url of a server. It gets a first request, whose response the others continue
 */
async function responseSeeds(url: string): Promise<Buffer[]> {
  const [, id] = /"id":"(resp_\w+)"/.exec(await send(url, request('POST', '/v1/responses', { input: 'a' })))!;
  const create = (body: object) => request('POST', '/v1/responses', { max_output_tokens: 3, ...body });
  const tools = [{ type: 'function', strict: true, ...described }];
  const input = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Time?' }] },
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'I look.' }], encrypted_content: null },
    { type: 'function_call', call_id: 'c', name: 'clock', arguments: '{"zone": "Oslo", "days": [1]}' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '9:00' }] },
  ];
  return [
    create({ input: 'Time?', instructions: 'Be brief.', tools, tool_choice: 'required', parallel_tool_calls: true }),
    create({ input, tools, tool_choice: { type: 'function', name: 'clock' }, stream: true }),
    create({ input, text: { format: { type: 'json_schema', name: 'a', schema, strict: true } }, store: false }),
    create({ input: 'a', previous_response_id: id, reasoning: { effort: 'low', summary: 'auto' } }),
    create({ input: 'a', include: ['message.output_text.logprobs'], top_logprobs: 2, metadata: { a: 'b' } }),
    request('GET', `/v1/responses/${id}/input_items?limit=2&order=asc`),
  ];
}

const messageSeeds = (): Buffer[] => {
  const version = { 'anthropic-version': '2023-06-01' };
  const post = (path: string, body: object) => request('POST', path, body, version);
  const tools = [{ name: 'clock', description: 'The time', input_schema: schema, strict: true }];
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Time?', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look.', signature: 'x' },
        { type: 'tool_use', id: 'c', name: 'clock', input: { zone: 'Oslo', days: [1] } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: '9:00' }] }] },
  ];
  const create = (body: object) => post('/v1/messages', { model: 'tiny', max_tokens: 3, messages: [asked], ...body });
  return [
    create({ tools, tool_choice: { type: 'any', disable_parallel_tool_use: true }, system: 'Be brief.' }),
    create({ messages, tools, stream: true, thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 1030 }),
    create({ output_config: { format: { type: 'json_schema', schema }, effort: 'low' }, stop_sequences: ['x'] }),
    create({ messages, context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] }, top_k: 3 }),
    post('/v1/messages/count_tokens', { model: 'tiny', messages, tools, system: [{ type: 'text', text: 'a' }] }),
  ];
};

const characterServer =
  (seedsFor: (url: string) => readonly Buffer[] | Promise<readonly Buffer[]>): OpenTarget =>
  async () => {
    const { options, device, faults } = await characterModel();
    const server = await ModelServer.listen({ ...options, storage: { responses: 100_000, bytes: 2 ** 30 } });
    return overHttp(await seedsFor(server.url), { server, device, faults });
  };

const patterns = [
  '^(?:[a-z]+(?:-[a-z]+)*){1,3}$',
  '^\\d{4}-(0[1-9]|1[0-2])(T\\d{2}:\\d{2}){0,2}$',
  '^[^"\\\\]{0,8}(?=a|b)\\w*|\\s+?$',
  '\\p{L}{2}[\\u0041-\\u{1F600}]\\b(a(b(c|d)*)+)?',
];

/** Damages a schema by large numbers, patterns, and everything that JSON allows. */
function damageSchema(schema: object, rng: Rng): unknown {
  const kind = rng.uniform();
  const large = String(10 ** rng.integer(1, 9));
  const enlarged = (text: string) => text.replaceAll(/\d+/g, (number) => (rng.uniform() < 0.3 ? large : number));
  if (kind < 0.4)
    return (JSON.parse(damageJson(JSON.stringify([schema]), rng).replace('undefined', '[]')) as unknown[])?.[0];
  if (kind < 0.6) return JSON.parse(enlarged(JSON.stringify(schema)));
  if (kind > 0.9) return JSON.parse(growJson(JSON.stringify(schema), rng));
  if (kind > 0.85) return { type: 'string', pattern: `^${conditions(rng)}.*$` };
  const pattern = patterns[rng.integer(0, patterns.length - 1)];
  const damaged = kind < 0.7 ? enlarged(pattern) : Buffer.from(damageBytes(Buffer.from(pattern), rng)).toString();
  return { type: 'object', properties: { a: { type: 'string', pattern: damaged } }, required: ['a'] };
}

/** Draws up to forty look-aheads, the maximum of a state of the automaton. */
const conditions = (rng: Rng): string =>
  Array.from(
    { length: rng.integer(1, 40) },
    (_, i) => `(?${rng.uniform() < 0.5 ? '=' : '!'}.*[a-${'bcdefghij'[i % 9]}]{${(i % 7) + 1}}x)`,
  ).join('');

const references = Array.from({ length: 26 }, (_, i) => [
  `d${i}`,
  { allOf: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) },
]);
const doubled = { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(references), d26: { enum: ['a', 'b'] } } };

const listed = {
  enum: ['a', 'a value', 17, null, { a: [1] }],
  default: { $id: 'urn:a' },
  examples: [{ $anchor: 'a' }],
};

const tree = {
  oneOf: [{ type: 'string', format: 'date-time' }, { $ref: '#/definitions/node' }],
  definitions: {
    node: {
      type: ['object', 'null'],
      properties: { left: { $ref: '#' }, right: { allOf: [{ $ref: '#/definitions/node' }, { minProperties: 1 }] } },
      patternProperties: { '^x-[a-z]{1,8}$': { type: 'integer', multipleOf: 5, exclusiveMinimum: -3 } },
      additionalProperties: { type: 'boolean' },
      maxProperties: 5,
    },
  },
};

const named = {
  type: 'object',
  properties: { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1: { type: 'null' } },
  patternProperties: { '^(a+)+$': { enum: ['a', 1, null] }, '^[b-d]{2,9}': { maxLength: 3 } },
  propertyNames: { pattern: '^.{0,80}$' },
};

/** Opens a server, and requests answers of schemas, which are compiled for the model's tokens. */
const schemaServer: OpenTarget = async (folder) => {
  const ask = (given: unknown) =>
    request('POST', '/v1/chat/completions', {
      messages: [asked],
      max_tokens: 2,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: given } },
    });
  const served = await characterServer(() => [ask(schema)])(folder);
  const schemas = [schema, tree, named, doubled, listed];
  return { ...served, damage: (_, rng) => ask(damageSchema(schemas[rng.integer(0, schemas.length - 1)], rng)) };
};

const embeddingServer: OpenTarget = async (folder) => {
  cpSync(join(repository, 'packages/models/test/encoder-fixtures/bert'), folder, { recursive: true });
  await wordLevelTokenizer(['is it a dog or a cat ?']).save(folder);
  const modules = ['Transformer', 'Pooling', 'Normalize'].map((name, idx) => ({
    idx,
    name,
    path: name === 'Pooling' ? '1_Pooling' : '',
    type: `sentence_transformers.models.${name}`,
  }));
  writeFileSync(join(folder, 'modules.json'), JSON.stringify(modules));
  mkdirSync(join(folder, '1_Pooling'));
  writeFileSync(join(folder, '1_Pooling/config.json'), JSON.stringify({ pooling_mode_mean_tokens: true }));
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const encoder = await SentenceEncoder.load(device, folder);
  const faults = new Faults();
  const server = await EmbeddingServer.listen({ ...limits, encoder, name: 'tiny', onFault: faults.add });
  const embed = (body: object) => request('POST', '/v1/embeddings', { model: 'tiny', ...body });
  const seeds = [
    embed({ input: 'is it a dog', encoding_format: 'float', user: 'a' }),
    embed({ input: ['is it', 'a cat ?'], encoding_format: 'base64' }),
    embed({ input: [[1, 2, 3], [4]], dimensions: null }),
    embed({ input: [1, 2, 3] }),
    request('GET', '/v1/models/tiny'),
  ];
  return overHttp(seeds, { server, device, faults });
};

export const modelTargets: Readonly<Record<string, OpenTarget>> = {
  'serve_model over HTTP': wordServer,
  'chats with tools and formats': characterServer(callSeeds),
  'schemas of answers': schemaServer,
  '/v1/responses': characterServer(responseSeeds),
  '/v1/messages': characterServer(messageSeeds),
  '/v1/embeddings': embeddingServer,
};
