// Tests tool calls from the request to the JSON of the answer, with a scripted model.
import { Rng } from '@bowyer/core';
import { noLogitRules } from '@bowyer/models';
import { chatTemplate, wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { callProblem, callStyle } from '../../tool-calls/call-style.js';
import type { Choice } from '../../generation/answer.js';
import { ChatWriter } from './chat-writer.js';
import { AnswerConstraints } from '../../generation/answer-constraints.js';
import type { RequestReader } from '../../generation/completion-request.js';
import { readChatRequest } from './read-chat-request.js';
import { runCompletion } from '../../generation/completion-run.js';
import type { SequenceBatcher } from '../../engine/sequence-batcher.js';
import type { SteppedTokenizer } from '../../generation/stepped-tokenizer.js';

/** The only special token of the vocabulary; each other token is a character. */
const SPECIAL = 0x10000;
const characters: Pick<Tokenizer, 'encode' | 'decode' | 'tokenToId'> & Partial<Tokenizer> = {
  vocabSize: SPECIAL + 1,
  eosTokenId: -1,
  padTokenId: -1,
  longestToken: 12,
  config: {},
  encode: (text) =>
    text.split('[TOOL_CALLS]').flatMap((part, i) => [...(i > 0 ? [SPECIAL] : []), ...Buffer.from(part)]),
  decode: (ids, { keepSpecialTokens = false } = {}) =>
    Array.from(ids, (id) => (id < SPECIAL ? String.fromCharCode(id) : keepSpecialTokens ? '[TOOL_CALLS]' : '')).join(
      '',
    ),
  tokenToId: (token) => (token === '[TOOL_CALLS]' ? SPECIAL : undefined),
};
const tokenizer = characters as SteppedTokenizer;

const templateOf = (assistant: string) =>
  chatTemplate(
    `{% for m in messages %}{% if m.tool_calls %}${assistant}{% else %}{{ m.content }}{% endif %}\n{% endfor %}A:`,
    tokenizer,
  );
const call = 'm.tool_calls[0].function';
const json = (args: string) => `{"name": "{{ ${call}.name }}", "${args}": {{ ${call}.arguments | tojson }}}`;
const templates = {
  hermes: `<tool_call>\n${json('arguments')}\n</tool_call>`,
  'qwen-xml': `<tool_call>\n<function={{ ${call}.name }}>\n</function>\n</tool_call>`,
  mistral: `[TOOL_CALLS] [${json('arguments')}]`,
  llama3: json('parameters'),
  other: `<|tool|>{{ ${call}.name }}`,
};

test.each(Object.entries(templates))('the format of a template that writes %s', (name, assistant) => {
  expect(callStyle(templateOf(assistant), tokenizer)?.format.name).toBe(name === 'other' ? undefined : name);
});

const reader = (name: keyof typeof templates): RequestReader => {
  const template = templateOf(templates[name]);
  return {
    tokenizer: Object.assign(Object.create(tokenizer), { inSteps: (work: () => unknown) => work() }),
    template,
    contextLength: 4096,
    vocabSize: SPECIAL + 1,
    maskedTokenIds: [],
    constraints: new AnswerConstraints(tokenizer, [], []),
    name: 'tiny',
    maxAnswers: 2,
    rules: noLogitRules,
    callStyle: () => callStyle(template, tokenizer),
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 64 },
  };
};
const tool = { type: 'function', function: { name: 'add', parameters: { properties: { a: { type: 'integer' } } } } };
const body = { messages: [{ role: 'user', content: 'Add.' }], tools: [tool] };

/** Returns the complete answer and the events of a stream for a model that generates `text`. */
async function answered(name: keyof typeof templates, text: string, asked: object = {}) {
  const signal = new AbortController().signal;
  const request = await readChatRequest({ ...body, ...asked }, reader(name), signal);
  const batcher: Pick<SequenceBatcher, 'submit' | 'score'> = {
    score: () => {
      throw new Error('the prompt is not scored here');
    },
    submit: (sequences) =>
      sequences.map(({ onTokens }) => {
        const ids = characters.encode(text);
        for (const id of ids) onTokens([id], [-1], []);
        return Promise.resolve({ finishReason: 'stop', newTokens: ids.length, cachedTokens: 0 });
      }),
  };
  const pieces: Choice[] = [];
  const onPiece = (piece: Choice) => void pieces.push(piece);
  const run = { request, tokenizer, terminatorIds: [], rng: new Rng(1), signal, onPiece } as const;
  const completed = await runCompletion(batcher, run);
  const writer = new ChatWriter(request, 0);
  const told = pieces.map((piece) => JSON.parse(writer.piece(piece).slice('data: '.length)) as object);
  return { whole: writer.whole(completed), pieces: told };
}

test('a call becomes tool_calls, whole and in a stream', async () => {
  const { whole, pieces } = await answered(
    'mistral',
    '<think>1</think>So.[TOOL_CALLS][{"name":"add","arguments":{"a":1}}]',
  );
  const called = { type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
  expect(whole).toMatchObject({
    choices: [
      {
        message: {
          content: 'So.',
          reasoning_content: '1',
          tool_calls: [{ ...called, id: expect.stringMatching(/^\w{9}$/) }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
  const deltas = pieces.map((piece) => (piece as { choices: { delta: object; finish_reason: string }[] }).choices[0]);
  expect(deltas.map(({ delta }) => delta)).toEqual([
    { role: 'assistant', reasoning_content: '1' },
    { content: 'S' },
    { content: 'o' },
    { content: '.' },
    { tool_calls: [{ ...called, index: 0, id: expect.any(String) }] },
    {},
  ]);
  expect(deltas.at(-1)!.finish_reason).toBe('tool_calls');
});

test('an answer without calls, of nothing but calls, and with tool_choice none', async () => {
  const text = '<tool_call>{"name": "add", "arguments": {}}</tool_call>';
  const message = (of: { whole: object }) => (of.whole as { choices: { message: object }[] }).choices[0].message;
  expect(message(await answered('hermes', 'Hello.'))).toEqual({ role: 'assistant', content: 'Hello.', refusal: null });
  expect(message(await answered('hermes', text))).toMatchObject({ content: null });
  expect(message(await answered('hermes', text, { tool_choice: 'none' }))).toMatchObject({ content: text });
  expect(message(await answered('hermes', text, { return_token_ids: true }))).toMatchObject({ content: text });
});

test('tools are refused where the template writes calls in another way', async () => {
  await expect(answered('other', '')).rejects.toThrow(
    "this model's chat template writes calls in none of the known ways (hermes, qwen-xml, seed-xml, ",
  );
  await expect(answered('other', '')).rejects.toThrow(
    /it has written ".*<\|tool\|>probe_tool.*", and one of the known ways is <tool_call>\{"name": "probe_tool"/,
  );
  await expect(answered('other', '', { tool_choice: 'none' })).resolves.toBeDefined();
});

test('the reason why calls cannot be read is the tokenizer, where that does not know their letters, and else what the template does', () => {
  const words = wordLevelTokenizer(['user assistant Call it.'], {});
  expect(callProblem(chatTemplate('tools', words), words)).toMatch(
    /^this model's tokenizer cannot write calls: it turns <tool_call>.* into "<unk>.*<unk>"; one of bytes or byte pairs can/,
  );
  const silent = chatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}', tokenizer);
  expect(callProblem(silent, tokenizer)).toMatch(
    /^this model's chat template leaves calls out: it has written "Call it\.1", where /,
  );
  const refusing = chatTemplate("{{ raise_exception('no') if tools }}{{ messages[0].content }}", tokenizer);
  expect(callProblem(refusing, tokenizer)).toMatch(/^this model's chat template refuses dialogues with calls; /);
  expect(callProblem(templateOf(templates.hermes), tokenizer)).toBeNull();
});
