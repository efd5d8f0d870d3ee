// Writes one dialogue in every form: as data files have it, and as clients send it.
import { Rng } from '@bowyer/core';
import { jsonAsWritten, parseJson } from '@bowyer/text';

export interface Call {
  id: string;
  name: string;
  /** The arguments as JSON with Python's spacing, which templates write too. */
  arguments: string;
}

export type Said =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; thought: string; calls: readonly Call[] }
  | { role: 'tool'; call: Call; text: string };

export interface Talk {
  system: string;
  tools: readonly { name: string; description: string; parameters: object }[];
  said: readonly Said[];
  /** The seed of the choices where texts are split into parts, and in which of several ways they are written. */
  seed: number;
}

type Json = Record<string, unknown>;

/** Writes a talk as the JSON of an item or a body; null where the form has no place for it. */
export type Write = (talk: Talk, form: Choices) => Json | null;

/** The random choices of how a dialogue is written. */
export class Choices {
  readonly #rng: Rng;

  constructor(seed: number) {
    this.#rng = new Rng(seed);
  }

  pick = <T>(from: readonly T[]): T => from[this.#rng.integer(0, from.length - 1)];

  /** Splits a text into one to three pieces. @param between lines: the pieces are whole lines */
  pieces(text: string, between: '' | 'lines' = ''): string[] {
    if (between === 'lines') return text === '' ? [text] : text.split('\n');
    const at = [0, 0].map(() => this.#rng.integer(0, text.length)).sort((a, b) => a - b);
    return [text.slice(0, at[0]), text.slice(at[0], at[1]), text.slice(at[1])];
  }
}

const WORDS = ['red', 'Grüße', 'a "b"', '{x}', '1.0', 'line one\nline two', '日本', "it's", '<tag>', 'the end.'];
const NUMBERS = ['1.0', '7318204915520000013', '0.0', '2.50', '1e5', '-0', '3', '-1.5E-3', '9223372036854775807'];
const SCHEMAS = [
  '{"type": "number", "minimum": 0.0, "maximum": 1.0}',
  '{"type": "integer", "maximum": 9223372036854775807}',
];

export function randomTalk(seed: number): Talk {
  const rng = new Rng(seed);
  const pick = <T>(from: readonly T[]): T => from[rng.integer(0, from.length - 1)];
  const text = () => Array.from({ length: rng.integer(1, 4) }, () => pick(WORDS)).join(' ');
  const chance = (share: number) => rng.uniform() < share;
  const hasTools = chance(0.7);
  const said: Said[] = [];
  let count = 0;
  const call = (): Call => {
    const value = pick([...NUMBERS, '"01067"', '[1, 2.50, {"z": null}]', '{}', 'true', JSON.stringify(text())]);
    const args = pick([`{"share": ${value}}`, '{}', `{"id": ${pick(NUMBERS)}, "s": ${JSON.stringify(text())}}`]);
    return { id: `call_${++count}`, name: pick(['mix', 'track']), arguments: args };
  };
  for (let turn = rng.integer(1, 3); turn > 0; turn--) {
    said.push({ role: 'user', text: text() });
    for (let calls = hasTools ? rng.integer(0, 2) : 0; calls > 0; calls--) {
      const made = Array.from({ length: chance(0.3) ? 2 : 1 }, call);
      said.push({
        role: 'assistant',
        text: chance(0.3) ? text() : '',
        thought: chance(0.3) ? text() : '',
        calls: made,
      });
      if (chance(0.15)) said.push({ role: 'user', text: text() });
      for (const each of made) said.push({ role: 'tool', call: each, text: chance(0.8) ? text() : '' });
    }
    said.push({ role: 'assistant', text: text(), thought: chance(0.3) ? text() : '', calls: [] });
  }
  const tools = ['mix', 'track'].map((name) => ({
    name,
    description: text(),
    parameters: parseJson(
      `{"type": "object", "properties": {"share": ${pick(SCHEMAS)}, "s": {"type": "string"}}}`,
    ) as object,
  }));
  return { system: chance(0.5) ? text() : '', tools: hasTools ? tools : [], said, seed };
}

const textPart = (text: string) => ({ type: 'text', text });
const value = (json: string) => parseJson(json) as Json;
const tooled = (key: string, tools: readonly object[]): Json => (tools.length > 0 ? { [key]: tools } : {});
const functions = ({ tools }: Talk) => tools.map((tool) => ({ type: 'function', function: tool }));

/** Writes OpenAI's chat completions, which is the form of most data files too. */
export const chat: Write = (talk, choices) => {
  const content = (text: string) => (choices.pick([true, false]) ? text : choices.pieces(text).map(textPart));
  const called = ({ id, name, arguments: args }: Call) => ({
    id,
    type: 'function',
    function: { name, arguments: choices.pick([true, false]) ? args : value(args) },
  });
  const messages = talk.said.map((each) => {
    if (each.role === 'user') return { role: 'user', content: content(each.text) };
    if (each.role === 'tool') return { role: 'tool', tool_call_id: each.call.id, content: content(each.text) };
    const { text, thought, calls } = each;
    return {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? choices.pick([null, '']) : content(text),
      ...(thought !== '' && { [choices.pick(['reasoning_content', 'reasoning'])]: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(called) }),
    };
  });
  const system = { role: choices.pick(['system', 'developer']), content: content(talk.system) };
  return { messages: [...(talk.system === '' ? [] : [system]), ...messages], ...tooled('tools', functions(talk)) };
};

/** Roles and keys of ShareGPT, with OpenAI's calls. */
export const shareGpt: Write = (talk) => {
  const conversations = talk.said.map((each) => {
    if (each.role === 'user') return { from: 'human', value: each.text };
    if (each.role === 'tool') return { from: 'observation', value: each.text, tool_call_id: each.call.id };
    const { text, thought, calls } = each;
    return {
      from: 'gpt',
      value: text,
      ...(thought !== '' && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls }), // without the level `function`
    };
  });
  const tools = tooled('tools', functions(talk));
  return {
    conversations,
    ...(talk.system !== '' && { system: talk.system }),
    ...(tools.tools !== undefined && { tools: jsonAsWritten(tools.tools) }),
  };
};

/** Writes OpenAI's calls before June 2023: one in a message, without ids. */
export const legacy: Write = (talk) => {
  if (talk.said.some((each) => each.role === 'assistant' && each.calls.length > 1)) return null;
  const messages = talk.said.map((each) => {
    if (each.role === 'user') return { role: 'user', content: each.text };
    if (each.role === 'tool') return { role: 'function', name: each.call.name, content: each.text };
    const [call] = each.calls;
    return {
      role: 'assistant',
      content: each.text === '' ? null : each.text,
      ...(each.thought !== '' && { reasoning_content: each.thought }),
      ...(call && { function_call: { name: call.name, arguments: call.arguments } }),
    };
  });
  const system = { role: 'system', content: talk.system };
  return { messages: [...(talk.system === '' ? [] : [system]), ...messages], ...tooled('functions', talk.tools) };
};

/** Writes OpenAI's responses. @returns the items of the request alone */
export const responses: Write = (talk, choices) => {
  const content = (text: string, type: string) =>
    choices.pick([true, false]) ? text : choices.pieces(text).map((piece) => ({ type, text: piece }));
  const input = talk.said.flatMap((each): Json[] => {
    if (each.role === 'user') return [{ role: 'user', content: content(each.text, 'input_text') }];
    if (each.role === 'tool')
      return [{ type: 'function_call_output', call_id: each.call.id, output: content(each.text, 'input_text') }];
    const { text, thought, calls } = each;
    const part = { [choices.pick(['content', 'summary'])]: [{ type: 'reasoning_text', text: thought }] };
    return [
      ...(thought === '' ? [] : [{ type: 'reasoning', summary: [], ...part }]),
      ...(text === '' ? [] : [{ type: 'message', role: 'assistant', content: content(text, 'output_text') }]),
      ...calls.map(({ id, name, arguments: args }) => ({ type: 'function_call', call_id: id, name, arguments: args })),
    ];
  });
  const isItem = choices.pick([true, false]);
  const system = { role: choices.pick(['system', 'developer']), content: content(talk.system, 'input_text') };
  return {
    input: talk.system !== '' && isItem ? [system, ...input] : input,
    ...(talk.system !== '' && !isItem && { instructions: talk.system }),
    ...tooled(
      'tools',
      talk.tools.map((tool) => ({ type: 'function', ...tool })),
    ),
  };
};

/** Writes Anthropic's messages, whose text blocks are lines of the prompt. */
export const anthropic: Write = (talk, choices) => {
  const content = (text: string) => (choices.pick([true, false]) ? text : choices.pieces(text, 'lines').map(textPart));
  const messages: { role: string; content: unknown }[] = [];
  for (const each of talk.said)
    if (each.role === 'assistant') {
      const blocks = [
        ...(each.thought === '' ? [] : [{ type: 'thinking', thinking: each.thought, signature: 's' }]),
        ...(each.text === '' ? [] : choices.pieces(each.text).map(textPart)),
        ...each.calls.map(({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: value(args) })),
      ];
      messages.push({ role: 'assistant', content: blocks });
    } else {
      const blocks =
        each.role === 'user'
          ? choices.pieces(each.text, 'lines').map(textPart)
          : [{ type: 'tool_result', tool_use_id: each.call.id, content: content(each.text) }];
      const last = messages.at(-1);
      if (last?.role === 'user') (last.content as Json[]).push(...blocks);
      else messages.push({ role: 'user', content: blocks });
    }
  const tools = talk.tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters }));
  return { ...(talk.system !== '' && { system: content(talk.system) }), messages, ...tooled('tools', tools) };
};

/** Writes Harbor's trajectories, in which results belong to the step with the call. */
export const atif: Write = (talk) => {
  const steps: Json[] = talk.system === '' ? [] : [{ source: 'system', message: talk.system }];
  for (const [i, each] of talk.said.entries()) {
    if (each.role === 'user') steps.push({ source: 'user', message: each.text });
    else if (each.role === 'assistant')
      steps.push({
        source: 'agent',
        message: each.text,
        ...(each.thought !== '' && { reasoning_content: each.thought }),
        ...(each.calls.length > 0 && {
          tool_calls: each.calls.map(({ id, name, arguments: args }) => ({
            tool_call_id: id,
            function_name: name,
            arguments: value(args),
          })),
          observation: { results: [] },
        }),
      });
    else {
      if (talk.said[i - 1].role === 'user') return null;
      const { results } = steps.at(-1)!.observation as { results: Json[] };
      results.push({ source_call_id: each.call.id, content: each.text });
    }
  }
  const agent = { name: 'a', version: '1', ...tooled('tool_definitions', functions(talk)) };
  return { schema_version: 'ATIF-v1.7', agent, steps };
};

const span = (attributes: readonly Json[]): Json => ({
  resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 't', name: 'chat', attributes }] }] }],
});
const asText = (key: string, given: unknown): Json => ({
  key,
  value: { stringValue: typeof given === 'string' ? given : jsonAsWritten(given) },
});

/** Writes messages of OpenTelemetry's conventions; results of tools are parts of a message of the role `user` or `tool`. */
function genAiMessages(talk: Talk, choices: Choices): Json[] {
  const messages: { role: string; parts: Json[]; finish_reason?: string }[] = [];
  for (const each of talk.said) {
    const part = (content: string) => ({ type: 'text', content });
    if (each.role === 'user') messages.push({ role: 'user', parts: choices.pieces(each.text).map(part) });
    else if (each.role === 'assistant')
      messages.push({
        role: 'assistant',
        parts: [
          ...(each.thought === '' ? [] : [{ type: 'reasoning', content: each.thought }]),
          ...(each.text === '' ? [] : choices.pieces(each.text).map(part)),
          ...each.calls.map(({ id, name, arguments: args }) => ({
            type: 'tool_call',
            id,
            name,
            arguments: value(args),
          })),
        ],
        finish_reason: 'stop',
      });
    else {
      const result = { type: 'tool_call_response', id: each.call.id, response: each.text };
      const last = messages.at(-1)!;
      if (last.role === 'assistant') messages.push({ role: choices.pick(['user', 'tool']), parts: [result] });
      else last.parts.push(result);
    }
  }
  return messages as Json[];
}

const genAiParts = (talk: Talk, choices: Choices): [key: string, value: unknown][] => {
  const messages = genAiMessages(talk, choices);
  const system = talk.system === '' ? [] : talk.system.split('\n').map((content) => ({ type: 'text', content }));
  const tools = choices.pick([functions(talk), talk.tools.map((tool) => ({ type: 'function', ...tool }))]);
  return [
    ['gen_ai.input.messages', messages.slice(0, -1)],
    ['gen_ai.output.messages', messages.slice(-1)],
    ...(system.length > 0 ? ([['gen_ai.system_instructions', system]] as const) : []),
    ...(tools.length > 0 ? ([['gen_ai.tool.definitions', tools]] as const) : []),
  ] as [string, unknown][];
};

export const genAi: Write = (talk, choices) =>
  span(genAiParts(talk, choices).map(([key, given]) => asText(key, given)));

/** Writes the same attributes as structures, whose integers are texts. */
export const genAiStructures: Write = (talk, choices) =>
  span(genAiParts(talk, choices).map(([key, given]) => ({ key, value: value(anyValue(jsonAsWritten(given))) })));

/** Converts a JSON text to an AnyValue of OTLP, also as a JSON text. */
function anyValue(json: string): string {
  const token = /\s*(?:("(?:[^"\\]|\\.)*")|([-+.\w]+)|(.))/gsy;
  const next = () => token.exec(json)!;
  const read = (): string => {
    const [, string, scalar, bracket] = next();
    if (string !== undefined) return `{"stringValue":${string}}`;
    if (scalar === 'null') return '{}';
    if (scalar === 'true' || scalar === 'false') return `{"boolValue":${scalar}}`;
    if (scalar !== undefined) return /[.eE]/.test(scalar) ? `{"doubleValue":${scalar}}` : `{"intValue":"${scalar}"}`;
    const values: string[] = [];
    for (;;) {
      const at = token.lastIndex;
      const [, key, , mark] = next();
      if (mark === ']' || mark === '}') break;
      if (mark === ',') continue;
      if (bracket === '{') {
        next(); // skips the colon
        values.push(`{"key":${key},"value":${read()}}`);
      } else {
        token.lastIndex = at;
        values.push(read());
      }
    }
    return bracket === '{'
      ? `{"kvlistValue":{"values":[${values.join()}]}}`
      : `{"arrayValue":{"values":[${values.join()}]}}`;
  };
  return read();
}

/** Writes the AI SDK's own attributes, with results as version 4 or 5 writes them. */
export const aiSdk: Write = (talk, choices) => {
  const messages = talk.said.map((each): Json => {
    if (each.role === 'user') return { role: 'user', content: choices.pieces(each.text).map(textPart) };
    if (each.role === 'tool') {
      const result = choices.pick([{ output: { type: 'text', value: each.text } }, { result: each.text }]);
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: each.call.id, toolName: each.call.name, ...result }],
      };
    }
    const calls = each.calls.map(({ id, name, arguments: args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      [choices.pick(['input', 'args'])]: value(args),
    }));
    const thought = each.thought === '' ? [] : [{ type: 'reasoning', text: each.thought }];
    return { role: 'assistant', content: [...thought, ...(each.text === '' ? [] : [textPart(each.text)]), ...calls] };
  });
  const { text, thought } = talk.said.at(-1) as { text: string; thought: string };
  const system = talk.system === '' ? [] : [{ role: 'system', content: talk.system }];
  const tools = talk.tools.map(({ parameters, ...tool }) => ({
    stringValue: jsonAsWritten({ type: 'function', ...tool, inputSchema: parameters }),
  }));
  return span([
    asText('ai.prompt.messages', [...system, ...messages.slice(0, -1)]),
    asText('ai.response.text', text),
    ...(thought === '' ? [] : [asText('ai.response.reasoning', thought)]),
    ...(tools.length > 0 ? [{ key: 'ai.prompt.tools', value: { arrayValue: { values: tools } } }] : []),
  ]);
};
