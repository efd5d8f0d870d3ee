// Tests random dialogues of agents over HTTP: however a client rewrites a history without changing its meaning, sampled tokens
// stay as they are.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate, HuggingFaceTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { AgentServer, RolloutLog, treeOf, type RecordedCall } from '../src/index.js';
import { scriptedModel } from './scripted-model.js';
import { json, post } from './tiny-server.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const marks = [
  '<|im_start|>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|begin_of_text|>',
];
const plainMarks = ['<think>', '</think>', '<tool_call>', '</tool_call>'];

async function tokenizerWithMarks(): Promise<HuggingFaceTokenizer> {
  const read = JSON.parse(await readFile(here('../../text/test/tokenizer-fixtures/gpt2.json'), 'utf8'));
  const definition = read.definition ?? read;
  const known = definition.added_tokens as { id: number; content: string }[];
  const ids = [...Object.values(definition.model.vocab as Record<string, number>), ...known.map(({ id }) => id)];
  const first = ids.reduce((a, b) => Math.max(a, b)) + 1;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const added = [...marks, ...plainMarks].map((content, i) => ({
    id: first + i,
    content,
    special: marks.includes(content),
    ...flags,
  }));
  return new HuggingFaceTokenizer({ ...definition, added_tokens: [...known, ...added] }, { eos_token: '<|im_end|>' });
}

/** The templates with their end tokens, their form of calls, and whether they have thoughts. */
const templates = {
  qwen3: { source: './templates/thoughts-of-last-query.jinja', end: '<|im_end|>', calls: 'hermes', thinks: true },
  hermes: {
    source: '../../serving/test/call-templates/hermes.jinja',
    end: '<|im_end|>',
    calls: 'hermes',
    thinks: true,
  },
  llama3: {
    source: '../../serving/test/call-templates/llama3.jinja',
    end: '<|eot_id|>',
    calls: 'llama3',
    thinks: false,
  },
  chatml: { source: null, end: '<|im_end|>', calls: null, thinks: false },
} as const;

const tools = ['add', 'find'].map((name) => ({
  type: 'function',
  function: { name, description: 'A tool.', parameters: { type: 'object', properties: {} } },
}));

let tokenizer: HuggingFaceTokenizer;
beforeAll(async () => {
  tokenizer = await tokenizerWithMarks();
});

type Message = Record<string, unknown>;

interface Answer {
  text: string;
  /** The ids: those of the tokenizer, or others for the same text. */
  ids: number[];
}

/** Draws answers like samples of a model. */
class Drawing {
  constructor(
    private readonly rng: Rng,
    private readonly style: (typeof templates)[keyof typeof templates],
    private readonly isPlain: boolean,
  ) {}

  answer(): Answer {
    const { thinks, calls } = this.style;
    const thought = thinks && this.rng.uniform() < 0.6 ? `<think>\n${this.words()}\n</think>\n\n` : '';
    const called = calls !== null && this.rng.uniform() < 0.6;
    const content = called && (calls === 'llama3' || this.rng.uniform() < 0.5) ? '' : this.space(this.words());
    const text = thought + content + (called ? `${content === '' ? '' : '\n'}${this.call(calls)}` : '');
    return { text, ids: [...this.spelled(text), tokenizer.tokenToId(this.style.end)!] };
  }

  words = (): string => Array.from({ length: this.rng.integer(1, 6) }, () => this.word()).join(' ');

  word = (): string =>
    ['tokens', 'are', 'spliced', '17', 'naïve', 'x=1.50', 'Where?', 'unbelievable'][this.rng.integer(0, 7)];

  /** Templates trim it, and so do clients. */
  space = (text: string): string => (this.isPlain || this.rng.uniform() < 0.6 ? text : ` ${text}  `);

  call(calls: 'hermes' | 'llama3'): string {
    const args = this.isPlain
      ? '{"a": 1, "b": "two"}'
      : ['{"a":1,"b":"two"}', '{ "b": "two",  "a": 1.0 }'][this.rng.integer(0, 1)];
    const name = tools[this.rng.integer(0, 1)].function.name;
    if (calls === 'llama3') return `{"name": "${name}", "parameters": ${args}}`;
    return `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
  }

  /** Marks stay whole; other text is cut anywhere. */
  spelled(text: string): number[] {
    if (this.isPlain) return tokenizer.encode(text);
    return text
      .split(/(<\/?think>|<\/?tool_call>)/)
      .flatMap((piece) => (plainMarks.includes(piece) ? [piece] : this.pieces(piece)))
      .flatMap((piece) => tokenizer.encode(piece));
  }

  pieces(text: string): string[] {
    if (text.length < 2 || this.rng.uniform() < 0.3) return [text];
    const at = this.rng.integer(1, text.length - 1);
    return [...this.pieces(text.slice(0, at)), ...this.pieces(text.slice(at))];
  }

  /** Returns an answer as a client sends it back, in another form with the same meaning. */
  sentBack(message: Message): Message {
    if (this.isPlain) return message;
    const { content, reasoning_content: reasoning, tool_calls: calls, ...others } = message;
    const again = (calls as { function: { name: string; arguments: string } }[] | undefined)?.map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.stringify(JSON.parse(call.function.arguments)) },
    }));
    const text = typeof content === 'string' ? content.trim() : '';
    return {
      ...others,
      content: text === '' && again ? null : text,
      ...(again && { tool_calls: again }),
      ...(reasoning !== undefined && this.rng.uniform() < 0.5 && { reasoning_content: reasoning }),
    };
  }

  /** Returns the messages after an answer: the results of its calls, or a question. */
  next({ tool_calls: calls }: Message): Message[] {
    if (!Array.isArray(calls)) return [{ role: 'user', content: this.words() }];
    return (calls as { id: string }[]).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: this.words() }));
  }
}

async function withServer(
  name: keyof typeof templates,
  use: (server: AgentServer, say: (ids: number[]) => void) => Promise<void>,
) {
  const { source, end } = templates[name];
  const said: (readonly number[])[] = [];
  const stepped = new SteppedTokenizer(tokenizer);
  const log = await RolloutLog.open(newFolder());
  const server = await AgentServer.listen({
    model: scriptedModel(tokenizer, () => said.shift() ?? [tokenizer.tokenToId(end)!], { contextLength: 8192 }),
    tokenizer: stepped,
    name: 'scripted',
    template: chatTemplate(source === null ? 'chatml' : await readFile(here(source), 'utf8'), stepped),
    terminatorIds: [tokenizer.tokenToId(end)!],
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 2,
    maxQueued: 8,
    splitsMessages: true,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 256 },
    log,
  });
  try {
    await use(server, (ids) => said.push(ids));
  } finally {
    await server.close();
    await log.close();
  }
}

const whole = ({ promptIds, choices }: RecordedCall) => [...promptIds, ...choices[0].ids];

async function play(server: AgentServer, say: (ids: number[]) => void, id: string, draw: Drawing, asksTools: boolean) {
  const { baseURL } = await server.rollouts.begin({ id });
  const request = { model: 'scripted', ...(asksTools && { tools }) };
  const messages: Message[] = [{ role: 'user', content: draw.words() }];
  const turns: { asks: boolean; rendered: number[] }[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const plain = await server.rollouts.begin({ id: `${id} ${turn}` });
    await json(`${plain.baseURL}/chat/completions`, { ...request, messages });
    const { calls } = await server.rollouts.read(plain.id);
    turns.push({ asks: messages.at(-1)!.role === 'user', rendered: calls[0].promptIds });
    say(draw.answer().ids);
    const answer = await json(`${baseURL}/chat/completions`, { ...request, messages });
    if (!answer.choices) throw new Error(JSON.stringify(answer));
    const sent = draw.sentBack(answer.choices[0].message as Message);
    messages.push(sent, ...draw.next(sent));
  }
  return { calls: (await server.rollouts.read(id)).calls, turns };
}

const text = (ids: readonly number[]) => tokenizer.decode(ids, { keepSpecialTokens: true });

test.each(Object.keys(templates) as (keyof typeof templates)[])(
  '%s: a prompt begins with what was sampled; only at a question of the user may it be the template’s own',
  async (name) => {
    const style = templates[name];
    let continued = 0;
    await withServer(name, async (server, say) => {
      for (let dialogue = 0; dialogue < 8; dialogue++) {
        const draw = new Drawing(new Rng(dialogue), style, false);
        const { calls, turns } = await play(server, say, `${name} ${dialogue}`, draw, style.calls !== null);
        for (const [i, call] of calls.entries()) {
          if (i === 0) continue;
          const before = whole(calls[i - 1]);
          const isContinued = before.every((token, t) => call.promptIds[t] === token);
          if (isContinued) continued++;
          else if (turns[i].asks) expect(call.promptIds).toEqual(turns[i].rendered);
          else expect(text(call.promptIds)).toBe(`${text(before)}…`);
        }
        expect(treeOf({ calls }).nodes).toHaveLength(calls.length);
      }
    });
    expect(continued).toBeGreaterThan(name === 'qwen3' ? 8 : 20);
  },
);

test.each(Object.keys(templates) as (keyof typeof templates)[])(
  '%s: where tokens are as the tokenizer spells them, a spliced prompt is the template’s own',
  async (name) => {
    const style = templates[name];
    await withServer(name, async (server, say) => {
      for (let dialogue = 0; dialogue < 3; dialogue++) {
        const draw = new Drawing(new Rng(100 + dialogue), style, true);
        const { calls, turns } = await play(server, say, `${name} ${dialogue}`, draw, style.calls !== null);
        for (const [i, call] of calls.entries()) expect(text(call.promptIds)).toBe(text(turns[i].rendered));
        for (const [i, call] of calls.entries()) expect(call.promptIds).toEqual(turns[i].rendered);
      }
    });
  },
);

const two = {
  hermes:
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>',
  llama3: '{"name": "add", "parameters": {"a": 1}}; {"name": "find", "parameters": {}}',
};

test.each([
  ['hermes', 'v1/chat/completions'],
  ['hermes', 'v1/messages'],
  ['llama3', 'v1/chat/completions'],
] as const)(
  '%s, %s: where one call is asked for, its end ends the answer, and the next prompt has that call alone',
  async (name, path) => {
    await withServer(name, async (server, say) => {
      for (const stream of [false, true]) {
        const id = `${path} ${stream}`;
        const isChat = path === 'v1/chat/completions';
        const question = { role: 'user', content: 'add and find' };
        const request = isChat
          ? { tools, parallel_tool_calls: false }
          : {
              tools: tools.map(({ function: { name: tool, parameters } }) => ({
                name: tool,
                input_schema: parameters,
              })),
              tool_choice: { type: 'auto', disable_parallel_tool_use: true },
            };
        say([...tokenizer.encode(two[name]), tokenizer.tokenToId(templates[name].end)!]);
        const { url } = await server.rollouts.begin({ id });
        await post(`${url}/${path}`, { model: 'scripted', max_tokens: 99, ...request, stream, messages: [question] });
        const [first] = (await server.rollouts.read(id)).calls;
        const [{ ids, message, terminated, finishReason }] = first.choices;
        expect([message.calls.map((call) => call.name), terminated, finishReason]).toEqual([
          ['add'],
          false,
          'tool_calls',
        ]);
        // The tokens are those of the first call, to its end.
        expect(text(ids)).toBe(two[name].split(/(?<=<\/tool_call>)|(?=; )/)[0]);

        const call = message.calls[0];
        const after = isChat
          ? [
              {
                role: 'assistant',
                tool_calls: [{ id: call.id, type: 'function', function: { name: 'add', arguments: '{"a": 1}' } }],
              },
              { role: 'tool', tool_call_id: call.id, content: '7' },
            ]
          : [
              { role: 'assistant', content: [{ type: 'tool_use', id: call.id, name: 'add', input: { a: 1 } }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '7' }] },
            ];
        const next = { model: 'scripted', max_tokens: 99, ...request, messages: [question, ...after] };
        await post(`${url}/${path}`, next);
        const alone = await server.rollouts.begin({ id: `${id} alone` });
        await post(`${alone.url}/${path}`, next);
        const [, second] = (await server.rollouts.read(id)).calls;
        const [same] = (await server.rollouts.read(alone.id)).calls;
        expect(text(second.promptIds)).toBe(text(same.promptIds));
        expect(second.promptIds.slice(0, first.promptIds.length + ids.length)).toEqual([...first.promptIds, ...ids]);
      }
    });
  },
);
