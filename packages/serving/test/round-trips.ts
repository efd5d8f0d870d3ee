// Renders dialogues with calls of tools as a model's answer, parses them, and renders them again, which must give the same
// tokens.
import { earlierArguments, type EarlierCall } from '@bowyer/conversations';
import { Rng } from '@bowyer/core';
import { chatTemplate, HuggingFaceTokenizer, type ChatMessage, type ChatTemplate, type Tokenizer } from '@bowyer/text';
import type { Tool } from '../src/tool-calls/answer-parts.js';
import { callFormats } from '../src/tool-calls/call-formats.js';
import { callStyle, decoderWithMarks, type CallStyle } from '../src/tool-calls/call-style.js';
import { messagesFor } from '../src/tool-calls/history.js';
import { PartStreamer } from '../src/tool-calls/part-streamer.js';

type Json = Record<string, unknown>;

/** Tokens of the families' templates that end a turn, and marks that the tokenizers have a token for. */
const TURN_ENDS = [
  '<|im_end|>',
  '<|eot_id|>',
  '</s>',
  '<|call|>',
  '<|return|>',
  '<end_of_turn>',
  '<start_function_response>',
  '<turn|>',
  '<｜end▁of▁sentence｜>',
];

const PLAIN_MARKS = ['<tool_call>', '</tool_call>', '<think>', '</think>'];

/** Returns a tokenizer of any vocabulary with the marks of the formats as tokens. */
export function withMarks(definition: Json, marks: readonly string[]): HuggingFaceTokenizer {
  const known = definition.added_tokens as { id: number; content: string }[];
  const vocabulary = Object.values((definition.model as { vocab: Record<string, number> }).vocab);
  const first = [...vocabulary, ...known.map(({ id }) => id)].reduce((a, b) => Math.max(a, b)) + 1;
  const missing = [...new Set([...TURN_ENDS, ...PLAIN_MARKS, ...marks])].filter((mark) =>
    known.every(({ content }) => content !== mark),
  );
  const added = missing.map((content, i) => ({
    id: first + i,
    content,
    special: !PLAIN_MARKS.includes(content),
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  }));
  return new HuggingFaceTokenizer(
    { ...definition, added_tokens: [...known, ...added] },
    { eos_token: '</s>', bos_token: '<s>' },
  );
}

const properties = {
  city: { type: 'string' },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  flag: { type: 'boolean' },
  items: { type: 'array' },
  where: { type: 'object' },
  note: { type: ['string', 'null'] },
  ключ: { type: 'string' },
};
const parameters = { type: 'object', properties };

const tools: Tool[] = ['add', 'get_weather', 'search.web-2'].map((name) => ({ name, parameters, strict: false }));

/** Short descriptions, since each dialogue reads them again. */
const toolsOfRequest = tools.map(({ name }) => ({
  type: 'function',
  function: { name, description: 'A tool.', parameters: { type: 'object', properties: {} } },
}));

export interface RoundTrips {
  format: string;
  dialogues: number;
  /** The number of dialogues whose ids are the same after parsing. */
  sameIds: number;
  /** The number of dialogues whose calls have the given names and JSON-equal arguments. */
  sameCalls: number;
  /** The first dialogue whose ids differ: its answer, and its second rendering. */
  difference: { answer: string; again: string } | null;
}

/** Runs the dialogues; null: the template's calls are not known. */
export function roundTrips(
  source: string,
  definition: Json,
  { dialogues, seed }: { dialogues: number; seed: number },
): RoundTrips | null {
  const all = callFormats.flatMap(({ marks, endMarks }) => [...marks, ...endMarks]);
  const { format } = styleOf(source, withMarks(definition, all)) ?? {};
  if (format === undefined) return null;
  const tokenizer = withMarks(definition, [...format.marks, ...format.endMarks]);
  const template = templateOf(source, tokenizer);
  const style = callStyle(template, tokenizer)!;
  const trip = new RoundTrip(template, tokenizer, style, new Rng(seed));
  const found: RoundTrips = { format: style.format.name, dialogues, sameIds: 0, sameCalls: 0, difference: null };
  for (let i = 0; i < dialogues; i++) {
    const { sameIds, sameCalls, answer, again } = trip.next();
    found.sameIds += Number(sameIds);
    found.sameCalls += Number(sameCalls);
    if (!sameIds) found.difference ??= { answer, again };
  }
  return found;
}

const templateOf = (source: string, tokenizer: Tokenizer): ChatTemplate =>
  chatTemplate(source, tokenizer, { now: () => new Date(2025, 2, 4) });

const styleOf = (source: string, tokenizer: Tokenizer): CallStyle | null =>
  callStyle(templateOf(source, tokenizer), tokenizer);

const PIECES =
  ' |  |\n|\n\n|a|Zürich|日本語|🦫|e\u0301|\u00a0|"|\'|\\|\\n|\\u00e9|/|{|}|{"a": [1, {}]}|[|]|<|>|&lt;|<b>|,|: |; |True|null|1.0|12|' +
  '=(x)|```json|%s|{{ x }}|<parameter=city>|</parameter>|<function=f>|</function>|<escape>|\t|\r\n|\u2028|\x7f';

class RoundTrip {
  readonly #decode: (ids: readonly number[]) => string;
  readonly #pieces: readonly string[];
  readonly #mostCalls: number;

  constructor(
    private readonly template: ChatTemplate,
    private readonly tokenizer: Tokenizer,
    private readonly style: CallStyle,
    private readonly rng: Rng,
  ) {
    const { format } = style;
    this.#decode = decoderWithMarks(tokenizer, format);
    const marks = format.marks.filter((mark) => !TURN_ENDS.includes(mark));
    this.#pieces = [...PIECES.split('|'), '|', ...marks];
    this.#mostCalls = style.takesSeveral ? ([3, 2].find((count) => this.#writes(count)) ?? 1) : 1;
  }

  next(): { sameIds: boolean; sameCalls: boolean; answer: string; again: string } {
    const before: ChatMessage[] = [{ role: 'user', content: this.#text() }];
    const message = this.#answer();
    const after = (message.tool_calls as EarlierCall[]).map(({ id }): ChatMessage => {
      return { role: 'tool', tool_call_id: id, content: this.#text() };
    });
    const prompt = this.#ids(before);
    const { answer, startsInReasoning } = this.#rendered(prompt, [...before, message]);
    const { parsed, calls } = this.#parsed(answer, startsInReasoning);
    if (calls.length !== after.length)
      return { sameIds: false, sameCalls: false, answer, again: JSON.stringify(parsed) };
    const again = this.#rendered(prompt, [...before, parsed]);
    const ofParsed = after.map((result, i) => ({ ...result, tool_call_id: calls[i]?.id ?? '' }));
    // The template may have trimmed the content, as the answer shows.
    const first = this.#ids([...before, { ...message, content: parsed.content }, ...after]);
    const second = this.#ids([...before, parsed, ...ofParsed]);
    const isSame = again.answer === answer && String(first) === String(second);
    return { sameIds: isSame, sameCalls: sameCalls(message, calls), answer, again: again.answer };
  }

  /** Returns whether an answer may have so many calls: the template of DeepSeek R1's distilled models ends the turn after each further call. */
  #writes(count: number): boolean {
    const before: ChatMessage[] = [{ role: 'user', content: '' }];
    const tool_calls = Array.from({ length: count }, (_, i) => ({
      type: 'function',
      id: `abcdef01${i}`,
      function: { name: 'get_weather', arguments: earlierArguments('{}') },
    }));
    const message: ChatMessage = { role: 'assistant', content: '', tool_calls };
    const { answer } = this.#rendered(this.#ids(before), [...before, message]);
    return answer.split('get_weather').length > count;
  }

  #text = (): string => Array.from({ length: this.rng.integer(0, 6) }, () => this.#piece()).join('');

  #piece = (): string => this.#pieces[this.rng.integer(0, this.#pieces.length - 1)];

  /** Returns a message with one to three calls; now and then with content or reasoning. */
  #answer(): ChatMessage {
    const content =
      this.style.takesContent && this.style.format.name !== 'harmony' && this.#chance(2) ? this.#text() : '';
    const tool_calls = Array.from({ length: this.rng.integer(1, this.#mostCalls) }, (_, i) => ({
      type: 'function',
      id: `abcdef0${this.rng.integer(10, 32)}${i}`.slice(0, 8) + String(i),
      function: { name: tools[this.rng.integer(0, tools.length - 1)].name, arguments: earlierArguments(this.#json()) },
    }));
    const thought = this.#chance(3) ? { reasoning_content: 'I see <b>: {"a": 1}.' } : {};
    return { role: 'assistant', content, tool_calls, ...thought };
  }

  #chance = (of: number): boolean => this.rng.integer(1, of) === 1;

  /** Returns arguments as a model may write them: in JSON formats with any spacing, escapes and repeated keys. */
  #json(): string {
    const keys = Object.keys(properties).filter(() => this.#chance(2));
    const { argumentsAreJson: isFree } = this.style.format;
    const members = keys.map(
      (key) => `${JSON.stringify(key)}:${isFree && this.#chance(5) ? '' : ' '}${this.#value(key)}`,
    );
    if (isFree && this.#chance(8) && members.length > 0) members.push(members[0]);
    return `{${members.join(isFree && this.#chance(5) ? ' ,' : ', ')}}`;
  }

  #value(key: string): string {
    switch (key) {
      case 'count':
        return this.#oneOf('0', '-1', '42', '12345678901234567890');
      case 'ratio':
        return this.#oneOf('1.0', '-0.50', '3.25', '1e5', '7', '0.1');
      case 'flag':
        return this.#oneOf('true', 'false');
      case 'items':
        return `[${Array.from({ length: this.rng.integer(0, 3) }, () => this.#inner()).join(', ')}]`;
      case 'where':
        return `{"a": ${this.#inner()}, "b": [${this.#inner()}, {}], "c": {"d": ${this.#inner()}}}`;
      default:
        return key === 'note' && this.#chance(3) ? 'null' : this.#string();
    }
  }

  #inner = (): string => this.#oneOf(this.#string(), '1.0', '-7', 'true', 'null', '[]', '[1, [2.50]]');

  #string(): string {
    const json = JSON.stringify(this.#text());
    return this.style.format.argumentsAreJson && this.#chance(6) ? json.replace(/[^\x00-\x7f]/g, escaped) : json;
  }

  #oneOf = (...values: string[]): string => values[this.rng.integer(0, values.length - 1)];

  /** Returns the text of the last message as an answer to a prompt. */
  #rendered(
    prompt: readonly number[],
    messages: readonly ChatMessage[],
  ): { answer: string; startsInReasoning: boolean } {
    const whole = this.#ids(messages, false);
    let start = 0;
    while (start < prompt.length && prompt[start] === whole[start]) start++;
    const written = (ids: readonly number[]) => this.tokenizer.decode(ids, { keepSpecialTokens: true });
    const answer = written(whole.slice(start));
    const ends = TURN_ENDS.map((end) => answer.indexOf(end)).filter((at) => at >= 0);
    const end = ends.length === 0 ? answer.length : ends.reduce((a, b) => Math.min(a, b));
    const startsInReasoning = written(prompt.slice(0, start)).trimEnd().endsWith('<think>');
    return { answer: answer.slice(0, end), startsInReasoning };
  }

  #ids(messages: readonly ChatMessage[], asks = true): number[] {
    const shown = messagesFor(this.style, messages);
    const steps = this.template.writePromptInSteps(shown, { tools: toolsOfRequest }, asks ? 'reply' : 'message');
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value();
  }

  #parsed(answer: string, startsInReasoning: boolean) {
    const streamer = new PartStreamer({ style: this.style, startsInReasoning, tools, singleCall: false }, false);
    streamer.add(this.#decode(this.tokenizer.encode(answer)), true);
    const { text, reasoning, calls } = streamer.whole;
    const parsed: ChatMessage = {
      role: 'assistant',
      content: text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, arguments: args }) => ({
          type: 'function',
          id,
          function: { name, arguments: earlierArguments(args) },
        })),
      }),
      ...(reasoning !== '' && { reasoning_content: reasoning }),
    };
    return { parsed, calls };
  }
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function sameCalls(message: ChatMessage, calls: readonly { name: string; arguments: string }[]): boolean {
  const plain = (name: string, args: unknown) => JSON.stringify([name, sorted(args)]);
  const given = (message.tool_calls as EarlierCall[]).map(({ function: { name, arguments: args } }) =>
    plain(name, args),
  );
  return String(given) === String(calls.map(({ name, arguments: args }) => plain(name, JSON.parse(args))));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
