// Parses tool calls in which markers surround each argument: Qwen 3 Coder, Qwen 3.5 and later, Nemotron 3, Step 3.5
// (`<tool_call>\n<function=f>\n<parameter=k>\nvalue\n</parameter>\n</function>\n</tool_call>`), Seed OSS, GLM 4.5 and later,
// MiniMax M2, DeepSeek V3.2 and V4. Values are written without quotation marks or escapes, so that only the text after a closing
// marker shows whether it ends the value. Source: the chat templates of these models.
import { characters, either, repeat, sequence, text, textWithout, type Grammar } from '@bowyer/text';
import type { AttemptStatus, Call, Tool } from '../answer-parts.js';
import { behindText, longId, wrongStructure, type CallFormat, type CallGrammarOptions } from '../call-format.js';
import { argumentsOf, boundedText, type ArgumentWriter } from '../grammar-values.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { plainValue, typedValue } from '../typed-value.js';
import { readBlocks } from './hermes.js';

interface Tags {
  /** The markers around each call or, with `isList`, around all calls together. */
  readonly block: readonly [start: string, end: string];
  readonly isList?: boolean;
  /** The markers before and after the name of a function, and the marker after its parameters. */
  readonly call: readonly [start: string, afterName: string, end: string];
  /** The markers before and after the name of a parameter, and before and after its value. */
  readonly parameter: readonly [start: string, afterKey: string, beforeValue: string, end: string];
  /** Whether `true">` (the value is a string) or `false">` is written between `afterKey` and the value. False if not given. */
  readonly namesTexts?: boolean;
  /** A part of the markers that is a single token of the model's tokenizer. */
  readonly token?: string;
  /** The text between two adjacent markers: a line break or nothing. */
  readonly line: '\n' | '';
  /** Whether a value has a line break before and after it. */
  readonly hasValueLines?: boolean;
}

const XML = { call: ['<function=', '>', '</function>'], parameter: ['<parameter=', '>', '', '</parameter>'] } as const;

export const qwenXml = tagged('qwen-xml', /<tool_call>\s*<function=probe_tool>/, {
  ...XML,
  block: ['<tool_call>', '</tool_call>'],
  line: '\n',
  hasValueLines: true,
});

export const seedXml = tagged('seed-xml', /<seed:tool_call>\s*<function=probe_tool>/, {
  ...XML,
  block: ['<seed:tool_call>', '</seed:tool_call>'],
  line: '\n',
});

const GLM = {
  block: ['<tool_call>', '</tool_call>'],
  call: ['', '', ''],
  parameter: ['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
} as const;

export const glm45 = tagged('glm-4.5', /<tool_call>probe_tool\n/, { ...GLM, line: '\n' });

export const glm47 = tagged('glm-4.7', /<tool_call>probe_tool<arg_key>/, { ...GLM, line: '' });

export const minimax = tagged('minimax', /<minimax:tool_call>\s*<invoke name="probe_tool">/, {
  block: ['<minimax:tool_call>', '</minimax:tool_call>'],
  isList: true,
  call: ['<invoke name="', '">', '</invoke>'],
  parameter: ['<parameter name="', '">', '', '</parameter>'],
  line: '\n',
});

const DSML = {
  isList: true,
  call: ['<｜DSML｜invoke name="', '">', '</｜DSML｜invoke>'],
  parameter: ['<｜DSML｜parameter name="', '" string="', '', '</｜DSML｜parameter>'],
  namesTexts: true,
  token: '｜DSML｜',
  line: '\n',
} as const;

export const deepseekV32 = tagged('deepseek-v3.2', /<｜DSML｜function_calls>\s*<｜DSML｜invoke name="probe_tool">/, {
  ...DSML,
  block: ['<｜DSML｜function_calls>', '</｜DSML｜function_calls>'],
});

export const deepseekV4 = tagged('deepseek-v4', /<｜DSML｜tool_calls>\s*<｜DSML｜invoke name="probe_tool">/, {
  ...DSML,
  block: ['<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'],
});

function tagged(name: string, sign: RegExp, tags: Tags): CallFormat {
  const { block, isList = false, call } = tags;
  return {
    name,
    sign,
    marks: [...block, ...(tags.token === undefined ? [] : [tags.token])],
    endMarks: [],
    argumentsAreJson: false,
    callsStandAlone: !isList,
    callId: longId,
    read: (input, parts) =>
      readBlocks(
        input,
        parts,
        (from, attempted) => readFunction(from, attempted, tags),
        block,
        isList ? call[0] : null,
      ),
    optional: behindText(block[0]),
    grammar: (tools, options) => taggedCalls(tools, options, tags),
  };
}

function* readFunction(input: IncomingText, call: Call, tags: Tags): Reading<AttemptStatus> {
  const {
    block,
    call: [start, afterName, end],
    parameter: [parameter],
  } = tags;
  if (!(yield* input.take(start))) return wrongStructure(input);
  const name =
    afterName === '' ? yield* readUpTo(input, [parameter, block[1], block[0]]) : yield* readName(input, afterName);
  if (name === null) return 'unclosed_block';
  if (afterName === '' && (yield* input.startsWith(block[0]))) return 'malformed_structure';
  const failure = call.named(name);
  if (failure !== null) return failure;
  const keys = new Set<string>();
  let count = 0;
  call.add('{');
  for (;;) {
    yield* input.skipSpace();
    if ((end !== '' && (yield* input.take(end))) || (yield* input.startsWith(block[1]))) break;
    const read = yield* readParameter(input, keys, tags);
    if (typeof read === 'string') return read;
    keys.add(read.key);
    const { value, key, isText } = read;
    const json =
      isText === null
        ? typedValue(value, key, call.tool?.parameters ?? null)
        : isText
          ? JSON.stringify(value)
          : plainValue(value);
    if (json !== null) call.add(`${count++ > 0 ? ', ' : ''}${JSON.stringify(key)}: ${json}`);
  }
  call.add('}');
  return 'ok';
}

/**
 * Parses a parameter. In the result, `isText` is null if the format does not write whether the value is a string.
 *
 * @returns the status with which the attempt at a call fails, if no parameter can be parsed
 */
function* readParameter(
  input: IncomingText,
  keys: ReadonlySet<string>,
  tags: Tags,
): Reading<AttemptStatus | { key: string; value: string; isText: boolean | null }> {
  const {
    parameter: [start, afterKey, beforeValue],
    namesTexts,
  } = tags;
  if (!(yield* input.take(start))) return wrongStructure(input);
  const key = yield* readName(input, afterKey);
  if (key === null) return 'unclosed_block';
  const kind = namesTexts ? yield* readName(input, '">') : null;
  if (beforeValue !== '') yield* input.skipSpace();
  if (!(yield* input.take(beforeValue))) return wrongStructure(input);
  const value = yield* readValue(input, new Set([...keys, key]), tags);
  return value === null ? 'unclosed_block' : { key, value, isText: kind === null ? null : kind === 'true' };
}

/** Parses a name and the marker after it; null if the answer ends before the marker. */
function* readName(input: IncomingText, end: string): Reading<string | null> {
  const name = yield* readUpTo(input, [end]);
  input.at += name === null ? 0 : end.length;
  return name;
}

function* readUpTo(input: IncomingText, ends: readonly string[]): Reading<string | null> {
  let name = '';
  const mark = yield* input.takeUpTo(ends, (piece) => (name += piece));
  return mark === null ? null : name.trim();
}

/** Parses a value; null if the answer ends within it. @param keys the names of the parameters so far, including this value's */
function* readValue(input: IncomingText, keys: ReadonlySet<string>, tags: Tags): Reading<string | null> {
  const start = input.at;
  for (;;) {
    const mark = yield* input.takeUpTo([tags.parameter[3]]);
    if (mark === null) return cutValue(input, start, tags);
    const end = input.at;
    input.at += mark.length;
    // The template writes line breaks on both sides of a value or on neither.
    if (tags.hasValueLines && input.text[start] === '\n' && input.text[end - 1] !== '\n') continue;
    if (yield* endsHere(input, keys, tags)) return withoutLineBreaks(input.text.slice(start, end), tags);
  }
}

/** The closing marker ends a value if a new parameter or the end of the function follows; otherwise it is a part of the value. */
function* endsHere(input: IncomingText, keys: ReadonlySet<string>, tags: Tags): Reading<boolean> {
  const { block, call, parameter, isList } = tags;
  const at = input.at;
  yield* input.skipSpace();
  let ends = false;
  if (yield* input.take(parameter[0])) {
    const key = yield* readName(input, parameter[1]);
    ends = key !== null && !keys.has(key);
  } else if (yield* input.take(call[2])) {
    yield* input.skipSpace();
    ends =
      input.isOver || (yield* input.startsWith(block[1])) || (isList === true && (yield* input.startsWith(call[0])));
  }
  input.at = at;
  return ends;
}

/** Returns a value without a closing marker, up to the next marker of any kind. The answer must have ended. */
function cutValue(input: IncomingText, start: number, tags: Tags): string | null {
  const { block, call, parameter } = tags;
  const rest = input.text.slice(start);
  const found = [parameter[3], `\n${parameter[0]}`, call[2], block[1]].flatMap((mark) => {
    const at = mark === '' ? -1 : rest.indexOf(mark);
    return at < 0 ? [] : [{ mark, at }];
  });
  if (found.length === 0) return null;
  const { mark, at } = found.reduce((first, other) => (other.at < first.at ? other : first));
  input.at = start + at + (mark === parameter[3] ? mark.length : 0);
  const value = rest.slice(0, at);
  return withoutLineBreaks(mark === call[2] || mark === block[1] ? value.trimEnd() : value, tags);
}

const withoutLineBreaks = (value: string, { hasValueLines }: Tags): string =>
  hasValueLines ? value.replace(/^\n/, '').replace(/\n$/, '') : value;

function taggedCalls(tools: readonly Tool[], { marks, parallel }: CallGrammarOptions, tags: Tags): Grammar {
  const { block, isList, call, parameter, namesTexts, line, token } = tags;
  const written = (mark: string): Grammar => {
    const [first, ...others] = token === undefined ? [mark] : mark.split(token);
    return sequence(text(first), ...others.flatMap((piece) => [marks.of(token!), text(piece)]));
  };
  const ofBlock = (mark: string): Grammar => (token === undefined ? marks.of(mark) : written(mark));
  const valueLine = tags.hasValueLines ? '\n' : '';
  const noMark = characters([['<', '<']], true);
  const valueEnd = `${valueLine}${parameter[3]}`;
  const beforeValue = `${parameter[2] === '' ? '' : line}${parameter[2]}${valueLine}`;
  const kindOf = (isText: boolean) => (namesTexts ? `${isText}">` : '');
  const constant = (value: unknown) =>
    `${kindOf(typeof value === 'string')}${typeof value === 'string' ? value : JSON.stringify(value)}`;
  const writer: ArgumentWriter = {
    member: (key, value) =>
      sequence(written(`${parameter[0]}${key}${parameter[1]}${beforeValue}`), value, written(`${valueEnd}${line}`)),
    separator: '',
    string: (schema) => sequence(text(kindOf(true)), boundedText(schema, noMark) ?? textWithout(valueEnd)),
    json: (value) => sequence(text(kindOf(false)), value),
    constant: (value) => text(constant(value)),
    boolean: [constant(true), constant(false)],
    nothing: constant(null),
  };
  const end = call[2] === '' ? '' : `${call[2]}${line}`;
  const one = either(
    ...tools.map((tool) =>
      sequence(written(`${call[0]}${tool.name}${call[1]}${line}`), argumentsOf(tool, writer), written(end)),
    ),
  );
  const several = isList && parallel ? repeat(one, 1) : one;
  const inBlock = sequence(ofBlock(block[0]), text(call[0] === '' ? '' : line), several, ofBlock(block[1]));
  return parallel && !isList ? sequence(inBlock, repeat(sequence(text(line), inBlock), 0)) : inBlock;
}
