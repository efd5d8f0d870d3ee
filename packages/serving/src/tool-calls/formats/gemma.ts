// Parses the tool calls of FunctionGemma: `<start_function_call>call:f{k:<escape>text<escape>,n:1}<end_function_call>`, with keys
// in alphabetical order. Gemma 4 has the same syntax with other markers, and without markers around the keys of inner objects.
// Source: the chat templates of FunctionGemma and Gemma 4; ai.google.dev/gemma/docs/functiongemma.
import { characters, either, repeat, rule, sequence, text, textWithout, type Grammar } from '@bowyer/text';
import type { AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, wrongStructure, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import { argumentsOf, boundedText, type ArgumentWriter, type Values } from '../grammar-values.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { MOST_LEVELS } from '../../http/json-nesting.js';
import type { Schema } from '../schemas.js';
import { plainValue } from '../typed-value.js';

interface Marks {
  readonly call: readonly [start: string, end: string];
  readonly quote: string;
  /** Whether the keys of inner objects have this marker too. */
  readonly quotesKeys: boolean;
}

export const functionGemma = gemma('function-gemma', '<start_function_response>', {
  call: ['<start_function_call>', '<end_function_call>'],
  quote: '<escape>',
  quotesKeys: true,
});

export const gemma4 = gemma('gemma-4', '<|tool_response>', {
  call: ['<|tool_call>', '<tool_call|>'],
  quote: '<|"|>',
  quotesKeys: false,
});

function gemma(name: string, endMark: string, marks: Marks): CallFormat {
  const [start, end] = marks.call;
  const ends = afterText(marks);
  return {
    name,
    sign: new RegExp(String.raw`${escaped(start)}call:probe_tool\{x:1\}${escaped(end)}`),
    marks: [start, end, marks.quote],
    endMarks: [endMark],
    argumentsAreJson: false,
    callsStandAlone: true,
    callId: longId,
    *read(input, parts) {
      const reader = new GemmaReader(marks, ends);
      while ((yield* input.takeUpTo([start], parts.addText)) !== null)
        yield* parts.attempt(input, (from, call) => reader.call(from, call));
    },
    optional: behindText(start),
    grammar: (tools, options) => gemmaCalls(tools, options, marks),
  };
}

function escaped(mark: string): string {
  return mark.replaceAll('|', String.raw`\|`);
}

/** Patterns of the text that may follow a string, by its container. A closing marker before other text belongs to the string. */
function afterText({ call: [, end], quote }: Marks): Record<Place, RegExp> {
  const key = String.raw`[^\s:,{}<>[\]]+:`;
  return {
    arguments: new RegExp(String.raw`^(?:,${key}|\}\s*(?:${escaped(end)}|$))`),
    object: new RegExp(String.raw`^(?:,(?:${escaped(quote)}|${key})|\}[,}\]])`),
    list: /^(?:,|\][,}\]])/,
  };
}

/** The container of a value: the arguments themselves, an object within them, or a list. */
type Place = 'arguments' | 'object' | 'list';

type Value = { json: string } | { status: AttemptStatus };

/** The number of characters after a string that are searched for the next key; keys are never longer. */
const LOOKAHEAD = 80;

/** Returns whether the text after a string matches; undefined while too little of it has arrived. */
function follows({ text, isWhole }: { text: string; isWhole: boolean }, pattern: RegExp): boolean | undefined {
  if (!isWhole && text.length < LOOKAHEAD) return text !== '' && pattern.test(`${text}\0`) ? true : undefined;
  return pattern.test(text);
}

class GemmaReader {
  constructor(
    private readonly marks: Marks,
    private readonly ends: Record<Place, RegExp>,
  ) {}

  *call(input: IncomingText, call: Call): Reading<AttemptStatus> {
    const [start, end] = this.marks.call;
    yield* input.take(start);
    if (!(yield* input.take('call:'))) return wrongStructure(input);
    const name = yield* input.takeWhile(/^[^\s{}<]$/);
    if (!(yield* input.startsWith('{'))) return wrongStructure(input);
    const failure = call.named(name);
    if (failure !== null) return failure;
    const status = yield* this.#object(input, 0, (json) => call.add(json));
    if (status !== null) return status;
    yield* input.takeBehindSpace(end);
    return 'ok';
  }

  /**
   * @param pass called with the JSON of each member once it is complete
   * @returns the status with which the attempt at a call fails; null on success
   */
  *#object(input: IncomingText, depth: number, pass: (json: string) => void): Reading<AttemptStatus | null> {
    input.at++;
    let count = 0;
    while (!(yield* input.take('}'))) {
      if (count > 0 && !(yield* input.take(','))) return wrongStructure(input);
      const key = yield* this.#key(input);
      if (key === null) return wrongStructure(input);
      const value = yield* this.#value(input, depth, depth === 0 ? 'arguments' : 'object');
      if (!('json' in value)) return value.status;
      pass(`${count++ === 0 ? '{' : ', '}${JSON.stringify(key)}: ${value.json}`);
    }
    pass(count === 0 ? '{}' : '}');
    return null;
  }

  *#key(input: IncomingText): Reading<string | null> {
    if (!(yield* input.startsWith(this.marks.quote))) {
      const key = yield* input.takeWhile(/^[^:{}]$/);
      return (yield* input.take(':')) ? key : null;
    }
    const key = yield* this.#text(input, (rest) => follows(rest, /^:/));
    return key !== null && (yield* input.take(':')) ? key : null;
  }

  *#value(input: IncomingText, depth: number, place: Place): Reading<Value> {
    if (depth > MOST_LEVELS) return { status: 'malformed_structure' };
    if (yield* input.startsWith(this.marks.quote)) {
      const text = yield* this.#text(input, (rest) => follows(rest, this.ends[place]));
      return text === null ? { status: 'unclosed_block' } : { json: JSON.stringify(text) };
    }
    const first = yield* input.peek();
    if (first === '{') {
      let json = '';
      const status = yield* this.#object(input, depth + 1, (piece) => (json += piece));
      return status === null ? { json } : { status };
    }
    if (first === '[') return yield* this.#list(input, depth);
    const raw = yield* input.takeWhile(/^[^,}\]]$/);
    if ((yield* input.peek()) === '') return { status: 'unclosed_block' };
    return { json: plainValue(raw) };
  }

  *#list(input: IncomingText, depth: number): Reading<Value> {
    input.at++;
    const items: string[] = [];
    while (!(yield* input.take(']'))) {
      if (items.length > 0 && !(yield* input.take(','))) return { status: wrongStructure(input) };
      const item = yield* this.#value(input, depth + 1, 'list');
      if (!('json' in item)) return item;
      items.push(item.json);
    }
    return { json: `[${items.join(', ')}]` };
  }

  /** Parses a string between two markers; null if the second marker is missing. */
  *#text(
    input: IncomingText,
    ends: (rest: { text: string; isWhole: boolean }) => boolean | undefined,
  ): Reading<string | null> {
    yield* input.take(this.marks.quote);
    const start = input.at;
    for (;;) {
      if ((yield* input.takeUpTo([this.marks.quote])) === null) return null;
      const end = input.at;
      input.at += this.marks.quote.length;
      let isEnd: boolean | undefined;
      while (
        (isEnd = ends({ text: input.text.slice(input.at, input.at + LOOKAHEAD), isWhole: input.isWhole })) === undefined
      )
        yield;
      if (isEnd) return input.text.slice(start, end);
      input.at = end + 1;
    }
  }
}

/** Returns the grammar of `call:f{k:<escape>v<escape>,n:1}` between markers, with keys in alphabetical order. */
function gemmaCalls(tools: readonly Tool[], { marks, parallel }: CallGrammarOptions, form: Marks): Grammar {
  const {
    call: [start, end],
    quote,
    quotesKeys,
  } = form;
  const between = (content: Grammar) => sequence(marks.of(quote), content, marks.of(quote));
  const noMark = characters([['<', '<']], true);
  const writer: ArgumentWriter = {
    keys: (keys) => [...keys].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    member: (key, value) => sequence(text(`${key}:`), value),
    separator: ',',
    string: (schema) => between(boundedText(schema, noMark) ?? textWithout(quote)),
    constant: (value) => (typeof value === 'string' ? between(text(value)) : text(JSON.stringify(value))),
    boolean: ['true', 'false'],
    nothing: 'null',
    nested: (schema, values) => nestedValue(schema, values, quotesKeys ? between : (key) => key),
  };
  const call = either(
    ...tools.map((tool) => sequence(text(`call:${tool.name}{`), argumentsOf(tool, writer), text('}'))),
  );
  return repeat(sequence(marks.of(start), call, marks.of(end)), 1, parallel ? Infinity : 1);
}

function nestedValue(schema: Schema, values: Values, keyOf: (content: Grammar) => Grammar): Grammar {
  if (schema.type === 'object') {
    const member = (key: string, value: Grammar) => sequence(keyOf(text(key)), text(':'), value);
    return sequence(text('{'), values.members(schema, '#', member, ','), text('}'));
  }
  const item = rule(() => values.value(schema.items ?? {}, '#/items'));
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  if (maxItems === 0) return text('[]');
  const some = sequence(item, repeat(sequence(text(','), item), Math.max(0, minItems - 1), maxItems - 1));
  return sequence(text('['), minItems > 0 ? some : either(text(''), some), text(']'));
}
