// Tests that every text which a grammar of calls allows is parsed as calls whose arguments follow the schemas, also random
// tokens.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { cpuMilliseconds } from '@bowyer/testing';
import { chatTemplate, ConstraintCompiler, TokenVocabulary } from '@bowyer/text';
import { answerGrammar } from '../src/generation/answer-grammar.js';
import type { Tool } from '../src/tool-calls/answer-parts.js';
import { callGrammar, type CallChoice } from '../src/tool-calls/call-grammar.js';
import { callFormats } from '../src/tool-calls/call-formats.js';
import { callStyle, decoderWithMarks, endIds, type CallStyle } from '../src/tool-calls/call-style.js';
import { PartStreamer } from '../src/tool-calls/part-streamer.js';
import { withMarks } from './round-trips.js';

const folder = fileURLToPath(new URL('call-templates', import.meta.url));
const vocabulary = fileURLToPath(new URL('../../text/test/tokenizer-fixtures/gpt2.json', import.meta.url));
const { definition } = JSON.parse(readFileSync(vocabulary, 'utf8')) as { definition: Record<string, unknown> };

const parameters = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    unit: { allOf: [{ $ref: '#/$defs/Unit' }], default: 'km', description: 'as Pydantic writes a reference' },
    note: { type: 'string' },
    flag: { type: ['boolean', 'null'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false },
  },
  required: ['n', 'unit', 'at'],
  additionalProperties: false,
  $defs: { Unit: { enum: ['km', "mile's"] } },
};
const tools: Tool[] = [
  { name: 'measure', parameters, strict: true },
  { name: 'stop', parameters: null, strict: false },
];

type Arguments = Record<string, unknown>;

const checks: Record<string, (value: unknown) => boolean> = {
  n: Number.isInteger,
  unit: (value) => value === 'km' || value === "mile's",
  note: (value) => typeof value === 'string',
  flag: (value) => value === null || typeof value === 'boolean',
  tags: (value) => Array.isArray(value) && value.length <= 2 && value.every((tag) => typeof tag === 'string'),
  at: (value) => Object.keys(value as object).join() === 'x' && typeof (value as Arguments).x === 'number',
};

const isValid = (args: Arguments): boolean =>
  parameters.required.every((key) => key in args) && Object.entries(args).every(([key, value]) => checks[key](value));

/** Tokens of an answer of a template whose marks are long; 200 of the others. */
const LONGEST: Readonly<Record<string, number>> = { 'deepseek-v3.2.jinja': 500, 'deepseek-v4.jinja': 500 };

/** Answers of a limited number of tokens, each token any that is allowed. */
function randomAnswers(file: string, choice: CallChoice['choice'], count: number, parallel = true) {
  const source = readFileSync(`${folder}/${file}`, 'utf8');
  const all = withMarks(
    definition,
    callFormats.flatMap(({ marks, endMarks }) => [...marks, ...endMarks]),
  );
  const { format } = callStyle(chatTemplate(source, all), all)!;
  const tokenizer = withMarks(definition, [...format.marks, ...format.endMarks]);
  const style = callStyle(chatTemplate(source, tokenizer), tokenizer)!;
  const ends = [tokenizer.eosTokenId, ...endIds(tokenizer, format)];
  const words = new TokenVocabulary(tokenizer, { endIds: ends });
  const options = { choice, parallel, tokenizer, startsInReasoning: false };
  const compiled = new ConstraintCompiler(words).compile(callGrammar(style, tools, options));
  const decode = decoderWithMarks(tokenizer, format);
  return Array.from({ length: count }, (_, seed) => {
    const rng = new Rng(seed);
    const constraint = compiled.start();
    const mask = new Uint32Array(Math.ceil(words.size / 32));
    const ids: number[] = [];
    for (let left = LONGEST[file] ?? 200; left > 0; left--) {
      constraint.allowed(mask, left);
      const allowed = idsIn(mask);
      const id = allowed[rng.integer(0, allowed.length - 1)];
      if (ends.includes(id)) break;
      constraint.accept(id);
      ids.push(id);
    }
    return { text: decode(ids), ...partsOf(style, decode(ids)), hasEnded: constraint.canEnd };
  });
}

/** Returns the ids whose bits are set. */
function idsIn(mask: Uint32Array): number[] {
  const ids: number[] = [];
  for (const [word, bits] of mask.entries())
    for (let rest = bits; rest !== 0; rest &= rest - 1) ids.push(32 * word + 31 - Math.clz32(rest & -rest));
  return ids;
}

function partsOf(style: CallStyle, text: string) {
  const streamer = new PartStreamer({ style, tools, startsInReasoning: false, singleCall: false }, false);
  streamer.add(text, true);
  return { parts: streamer.whole };
}

test.each(readdirSync(folder))('%s: random tokens are calls whose arguments follow the schema', (file) => {
  const answers = randomAnswers(file, 'required', 12);
  for (const { text, parts, hasEnded } of answers) {
    expect({ text, hasEnded, statuses: [...new Set(parts.attempts.map(({ status }) => status))] }).toEqual({
      text,
      hasEnded: true,
      statuses: ['ok'],
    });
    for (const { name, arguments: args } of parts.calls)
      expect({ name, args, isValid: name === 'stop' ? args === '{}' : isValid(JSON.parse(args) as Arguments) }).toEqual(
        {
          name,
          args,
          isValid: true,
        },
      );
  }
  expect(new Set(answers.flatMap(({ parts }) => parts.calls.map(({ name }) => name))).size).toBe(2);
});

test('a named tool is the one that is called, once where there is to be one call', () => {
  for (const { parts } of randomAnswers('hermes.jinja', { name: 'stop' }, 8, false))
    expect(parts.calls).toMatchObject([{ name: 'stop', arguments: '{}' }]);
});

test('by its own choice a model writes text, and what begins as a call is one', () => {
  for (const file of ['hermes.jinja', 'harmony.jinja', 'llama3.jinja'])
    for (const { parts, hasEnded } of randomAnswers(file, 'auto', 8)) {
      expect(hasEnded).toBe(true);
      expect(parts.attempts.every(({ status }) => status === 'ok')).toBe(true);
    }
});

test('a schema that answers cannot be held to is refused for strict tools alone', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', format: 'color' } }, required: ['a'] };
  const tokenizer = withMarks(definition, []);
  const options = { choice: 'required', parallel: false, tokenizer, startsInReasoning: false } as const;
  for (const format of callFormats) {
    const grammar = (strict: boolean) =>
      callGrammar({ format, afterReasoning: null }, [{ name: 'f', parameters: schema, strict }], options);
    expect(() => grammar(true)).toThrow(/'format'/);
    expect(() => grammar(false)).not.toThrow();
  }
});

test.each(['harmony.jinja', 'hermes.jinja', 'qwen-xml.jinja'])(
  '%s: tools that take too much work together are refused after little of it',
  (file) => {
    const all = withMarks(
      definition,
      callFormats.flatMap(({ marks, endMarks }) => [...marks, ...endMarks]),
    );
    const style = callStyle(chatTemplate(readFileSync(`${folder}/${file}`, 'utf8'), all), all)!;
    const parts = Array.from({ length: 10 }, (_, i) => ({ type: 'string', pattern: `a.{${i + 5}}b` }));
    const itself = { anyOf: Array.from({ length: 9 }, () => ({ $ref: '#/$defs/v' })) };
    const schemas = [
      { type: 'object', properties: { a: { type: 'object', properties: { b: { allOf: parts } } } } },
      { type: 'object', properties: { v: { $ref: '#/$defs/v' } }, $defs: { v: itself } },
    ];
    const many = Array.from({ length: 400 }, (_, i): Tool => ({
      name: `t${i}`,
      parameters: schemas[i % 2],
      strict: false,
    }));
    const place = { parts: { style, tools: many, startsInReasoning: false }, mayReason: false };
    const asked = { format: { kind: 'text' }, toolChoice: 'required', parallelCalls: true } as const;
    const names = { messages: 'messages', tools: 'tools', toolChoice: 'tool_choice', format: 'response_format' };
    const took = cpuMilliseconds(() =>
      expect(() => answerGrammar({ ...asked, names }, place, { tokenizer: all })).toThrow(/steps of work/),
    );
    expect(took).toBeLessThan(4000);
  },
);
