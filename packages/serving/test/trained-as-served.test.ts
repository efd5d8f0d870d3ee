// Tests that training uses the tokens of serving: a dialogue gives the same ids from every data format and every protocol.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConversations } from '@bowyer/conversations';
import { noLogitRules } from '@bowyer/models';
import {
  chatTemplate,
  jsonAsWritten,
  type ChatTemplate,
  type Conversation,
  type EncodedConversation,
  type Tokenizer,
} from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { AnswerConstraints } from '../src/generation/answer-constraints.js';
import type { ChatRequest } from '../src/generation/chat-request.js';
import type { RequestReader } from '../src/generation/completion-request.js';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { promptIds } from '../src/generation/write-chat.js';
import { parseJson } from '../src/http/json-text.js';
import { readChatRequest } from '../src/protocols/chat-completions/read-chat-request.js';
import { readMessageRequest } from '../src/protocols/messages/read-message-request.js';
import { readResponseRequest } from '../src/protocols/responses/read-response-request.js';
import { StoredResponses } from '../src/protocols/responses/stored-responses.js';
import { callFormats } from '../src/tool-calls/call-formats.js';
import { callStyle, type CallStyle } from '../src/tool-calls/call-style.js';
import { servedMessages } from '../src/tool-calls/served-messages.js';
import * as forms from './dialogue-forms.js';
import { Choices, randomTalk, type Talk, type Write } from './dialogue-forms.js';
import { withMarks } from './round-trips.js';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { definition } = JSON.parse(readFileSync(path('../../text/test/tokenizer-fixtures/gpt2.json'), 'utf8')) as {
  definition: Record<string, unknown>;
};
const marks = callFormats.flatMap((format) => [...format.marks, ...format.endMarks]);
const tokenizer = withMarks(definition, marks);
const stepped = new SteppedTokenizer(tokenizer);
const { signal } = new AbortController();

/** A template of no known family, which prints all its inputs, with names and ids. */
const PLAIN = `{{ tools | tojson if tools }}
{% for m in messages %}[{{ m.role }}{{ ' ' + m.name if m.name }}{{ ' ' + m.tool_call_id if m.tool_call_id }}]
{{- '(' + m.reasoning_content + ')' if m.reasoning_content }}{{ m.content }}
{%- for c in m.tool_calls or [] %}|{{ c | tojson }}{% endfor %}</s>{% endfor %}
{%- if add_generation_prompt %}[assistant]{% endif %}`;

const templates: [name: string, source: string | null][] = [
  ...readdirSync(path('call-templates')).map((file): [string, string] => [
    file,
    readFileSync(path(`call-templates/${file}`), 'utf8'),
  ]),
  ['tools', null],
  ['one of no family', PLAIN],
];

const templateOf = (source: string | null, of: Tokenizer) => chatTemplate(source ?? 'tools', of);

function readerOf(template: ChatTemplate): RequestReader {
  const styles = new Map<ChatTemplate, CallStyle | null>();
  return {
    tokenizer: stepped,
    template,
    contextLength: 100_000,
    vocabSize: tokenizer.vocabSize,
    name: 'm',
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 1 },
    maskedTokenIds: [],
    maxAnswers: 1,
    rules: noLogitRules,
    constraints: new AnswerConstraints(tokenizer, [], []),
    callStyle: (of) => {
      if (!styles.has(of)) styles.set(of, callStyle(of, stepped));
      return styles.get(of)!;
    },
  };
}

type Serve = (body: unknown, reader: RequestReader) => Promise<number[]>;

const ofChat = async ({ chat }: { chat: ChatRequest }, reader: RequestReader) => promptIds(chat, reader, signal);
const serveChat: Serve = async (body, reader) => (await readChatRequest(body, reader, signal)).prompts[0].ids;
const serveResponse: Serve = async (body, reader) =>
  ofChat(await readResponseRequest(body, reader, new StoredResponses({ responses: 0, bytes: 0 }), signal), reader);
const serveMessage: Serve = async (body, reader) =>
  ofChat(await readMessageRequest(body, reader, signal, false), reader);

interface Data {
  name: string;
  /** The name of the format, where an item alone does not show it. */
  format?: string;
  write: Write;
}

interface Served {
  name: string;
  write: Write;
  serve: Serve;
}

/** Data formats with equal content, and the protocols that serve it. */
interface Group {
  data: readonly Data[];
  served: readonly Served[];
}

/** Requests of today have `tools`, also where their messages are older. */
const olderCalls: Write = (talk, choices) => {
  const body = forms.legacy(talk, choices);
  if (body === null) return null;
  const { functions, ...rest } = body;
  return { ...rest, ...(functions !== undefined && { tools: forms.chat(talk, choices)!.tools }) };
};

const GROUPS: readonly Group[] = [
  {
    data: [
      { name: 'chat', write: forms.chat },
      { name: 'ShareGPT', write: forms.shareGpt },
      { name: 'responses', write: (talk, choices) => ({ ...forms.responses(talk, choices), output: [] }) },
      { name: 'anthropic', format: 'anthropic', write: forms.anthropic },
      { name: 'atif', write: forms.atif },
      { name: 'gen_ai', write: forms.genAi },
      { name: 'gen_ai as structures', write: forms.genAiStructures },
      { name: 'AI SDK', write: forms.aiSdk },
    ],
    served: [
      { name: 'chat completions', write: forms.chat, serve: serveChat },
      { name: 'responses', write: forms.responses, serve: serveResponse },
      { name: 'messages', write: (...given) => ({ max_tokens: 1, ...forms.anthropic(...given) }), serve: serveMessage },
    ],
  },
  {
    data: [{ name: 'function_call', write: forms.legacy }],
    served: [{ name: 'function_call', write: olderCalls, serve: serveChat }],
  },
];

const talks = Array.from({ length: Number(process.env.TALKS ?? 5) }, (_, i) => randomTalk(i + 1));
const folder = newFolder();
const counts = { readings: 0, examples: 0, prompts: 0, refused: 0, unsaid: 0 };
const refusals = new Map<string, number>();

const names: readonly string[] = ['DataFileError', 'ChatTemplateError', 'BadRequestError'];

/** Counts a refusal that says what is refused. @throws other errors */
function refused(error: unknown): null {
  const { name, message } = error as Error;
  if (!names.includes(name)) throw error;
  counts.refused++;
  const what = message
    .split('\n')
    .slice(0, 2)
    .join(' ')
    .replace(/^.*?: /, '');
  refusals.set(what, (refusals.get(what) ?? 0) + 1);
  return null;
}

/** Reads a dialogue from a data format; null where it is refused by name, or the format cannot express it. */
async function read({ write, format }: Data, talk: Talk): Promise<Conversation | null> {
  const item = write(talk, new Choices(talk.seed));
  if (item === null) return (counts.unsaid++, null);
  const file = join(folder, 'item.jsonl');
  writeFileSync(file, jsonAsWritten(item));
  try {
    const { items } = await readConversations(file, { format });
    expect(items).toHaveLength(1);
    counts.readings++;
    return items[0].value;
  } catch (error) {
    return refused(error);
  }
}

/** Returns the training examples; null where the dialogue is refused by name. */
function trained({ messages, inputs }: Conversation, template: ChatTemplate): EncodedConversation[] | null {
  try {
    const examples = template.encodeConversation(servedMessages(template, tokenizer)(messages), inputs);
    counts.examples += examples.length;
    return examples;
  } catch (error) {
    return refused(error);
  }
}

/** Returns the prompts of a dialogue's replies; null where one is refused by name, or the protocol cannot express it. */
async function prompts({ write, serve }: Served, talk: Talk, reader: RequestReader): Promise<number[][] | null> {
  const all: number[][] = [];
  for (const [i, { role }] of talk.said.entries()) {
    if (role !== 'assistant') continue;
    const body = write({ ...talk, said: talk.said.slice(0, i) }, new Choices(talk.seed + i + 1));
    if (body === null) return (counts.unsaid++, null);
    try {
      all.push(await serve(await parseJson(jsonAsWritten({ model: 'm', ...body })), reader));
      counts.prompts++;
    } catch (error) {
      return refused(error);
    }
  }
  return all;
}

/** Returns the tokens before each text that is learned. */
const asked = (examples: readonly EncodedConversation[]): number[][] =>
  examples.flatMap(({ ids, lossMask }) =>
    lossMask.flatMap((weight, i) => (weight > 0 && !(lossMask[i - 1] > 0) ? [ids.slice(0, i)] : [])),
  );

/** Returns an example as text, with the weight of each token. */
const learnedText = ({ ids, lossMask }: EncodedConversation): string => `${ids.join()} ${lossMask.join('')}`;

const spelled = (ids: readonly number[]) => tokenizer.decode(ids, { keepSpecialTokens: true });

/** The dialogues as each data format expresses them, the same for all templates. */
const readings = new Map<Data, (Conversation | null)[]>();

beforeAll(async () => {
  for (const side of GROUPS.flatMap(({ data }) => data)) {
    const all: (Conversation | null)[] = [];
    for (const talk of talks) all.push(await read(side, talk));
    readings.set(side, all);
  }
});

test.each(templates)('%s: ids are equal, or a form is refused by name', async (_, source) => {
  const [template, reader] = [templateOf(source, tokenizer), readerOf(templateOf(source, stepped))];
  for (const [i, talk] of talks.entries())
    for (const { data, served } of GROUPS) {
      const examples = data.flatMap((side): [string, EncodedConversation[]][] => {
        const dialogue = readings.get(side)![i];
        const made = dialogue && trained(dialogue, template);
        return made ? [[side.name, made]] : [];
      });
      const replies: [string, number[][]][] = [];
      for (const side of served) {
        const all = await prompts(side, talk, reader);
        if (all !== null) replies.push([side.name, all]);
      }
      const learned = examples.map(([name, made]) => [name, made.map(learnedText)]);
      expect(learned).toEqual(learned.map(([name]) => [name, learned[0][1]]));
      expect(replies.map(([name, all]) => [name, all.map(spelled)])).toEqual(
        replies.map(([name]) => [name, replies[0][1].map(spelled)]),
      );
      if (examples.length === 0 || replies.length === 0) continue;
      // A template with one call in a message writes a further prompt for each further call.
      const starts = asked(examples[0][1]).map(spelled);
      expect(starts).toEqual(expect.arrayContaining(replies[0][1].map(spelled)));
    }
});

afterAll(() => {
  const found = [...refusals].map(([what, count]) => `  ${count} × ${what}`).join('\n');
  console.log(`${talks.length} dialogues, ${templates.length} templates: ${JSON.stringify(counts)}\n${found}`);
  expect(counts.refused).toBeLessThan(counts.prompts / 20);
});
