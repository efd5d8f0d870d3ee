// Detects the format in which a chat template writes tool calls, from the text of example dialogues that it renders.
import type { ChatMessage, ChatTemplate, Tokenizer } from '@bowyer/text';
import type { CallFormat } from './call-format.js';
import { callFormats } from './call-formats.js';
import { reasoningMarks, type AfterReasoning } from './reasoning.js';

export interface CallStyle {
  format: CallFormat;
  /** Whether the template writes the calls of a message; otherwise they are put into the message's content. */
  writesCalls: boolean;
  /** The value of `content` with which the template renders a message that has only calls. */
  emptyContent: '' | null;
  /** Whether the template accepts a message with both content and calls. */
  takesContent: boolean;
  /** Whether the template accepts a message with several calls. */
  takesSeveral: boolean;
  /** Whether strings in arguments must be escaped before the template gets them. */
  needsEscapes: boolean;
  /** The white space that the template writes between content and calls. */
  beforeCalls: string;
  /** The white space that the template writes after reasoning; null if it writes no reasoning. */
  afterReasoning: AfterReasoning | null;
}

const parameters = { type: 'object', properties: { x: { type: 'integer', description: 'x' } }, required: ['x'] };
const tools = ['probe_tool', 'probe_other'].map((name) => ({
  type: 'function',
  function: { name, description: 'A tool.', parameters },
}));
const user = { role: 'user', content: 'Call it.' } as const;

const callOf = (args: object = { x: 1 }, name = 'probe_tool') => ({
  type: 'function',
  id: name === 'probe_tool' ? 'abcdef012' : 'abcdef013',
  function: { name, arguments: args },
});

const answerTo = ({ id, function: { name } }: ReturnType<typeof callOf>): ChatMessage => ({
  role: 'tool',
  content: '1',
  name,
  tool_call_id: id,
});

/** Returns null if the template writes no calls, or in an unknown format. */
export function callStyle(template: ChatTemplate, tokenizer: Tokenizer): CallStyle | null {
  const prober = new Prober(template, tokenizer);
  for (const emptyContent of ['', null] as const) {
    const text = prober.called(emptyContent, [callOf()]);
    const format = callFormats.find(({ sign }) => sign.test(text));
    if (format) return prober.styleOf(format, emptyContent);
  }
  const prompt = prober.written([user]);
  const format = callFormats.find(({ promptSign }) => promptSign?.test(prompt));
  const itself = {
    emptyContent: '',
    takesContent: true,
    takesSeveral: true,
    needsEscapes: false,
    beforeCalls: '',
    afterReasoning: null,
  } as const;
  return format === undefined ? null : { format, writesCalls: false, ...itself };
}

/** The most frequent format, which error messages show. */
const EXPECTED = '<tool_call>{"name": "probe_tool", "arguments": {"x": 1}}</tool_call>';
/** The most characters of a rendered dialogue that an error message quotes. */
const SHOWN = 240;

/**
 * Returns the reason why a model's calls cannot be parsed, with the text that the template writes and the expected one; null if
 * they can be. If the tokenizer lacks characters that a call needs, this is the reason.
 */
export function callProblem(template: ChatTemplate, tokenizer: Tokenizer): string | null {
  if (callStyle(template, tokenizer) !== null) return null;
  const back = tokenizer.decode(tokenizer.encode(EXPECTED), { keepSpecialTokens: true });
  if (back !== EXPECTED)
    return (
      `this model's tokenizer cannot write calls: it turns ${EXPECTED} into ${JSON.stringify(back)}; one of bytes or byte pairs can, such ` +
      'as start_model makes'
    );
  const prober = new Prober(template, tokenizer);
  const written = prober.called('', [callOf()]) || prober.called(null, [callOf()]);
  const names = callFormats.map(({ name }) => name).join(', ');
  if (written === '') return `this model's chat template refuses dialogues with calls; ${ADVICE}`;
  const end = written.slice(-SHOWN);
  return written.includes('probe_tool')
    ? `this model's chat template writes calls in none of the known ways (${names}): it has written ${JSON.stringify(end)}, and one of the known ways is ${EXPECTED}`
    : `this model's chat template leaves calls out: it has written ${JSON.stringify(end)}, where ${EXPECTED} or another known form (${names}) is expected; ${ADVICE}`;
}

const ADVICE = 'chat.template=tools writes them, with any tokenizer of bytes, for a model that has learned it';

const CONTENT = 'Some content.';

class Prober {
  constructor(
    private readonly template: ChatTemplate,
    private readonly tokenizer: Tokenizer,
  ) {}

  /** Renders messages as text; '' if the template refuses them. */
  written(messages: readonly ChatMessage[]): string {
    try {
      const ids = this.template.encodePrompt(messages, { tools });
      return this.tokenizer.decode(ids, { keepSpecialTokens: true });
    } catch {
      return '';
    }
  }

  called(content: string | null, calls: readonly ReturnType<typeof callOf>[]): string {
    return this.written([user, { role: 'assistant', content, tool_calls: calls }, ...calls.map(answerTo)]);
  }

  styleOf(format: CallFormat, emptyContent: '' | null): CallStyle {
    const withContent = this.called(CONTENT, [callOf()]);
    const [content, call] = [withContent.lastIndexOf(CONTENT), withContent.search(format.sign)];
    const between = withContent.slice(content + CONTENT.length, Math.max(call, 0));
    const calls = [callOf(), callOf({ x: 2 }, 'probe_other')];
    const two = this.written([user, { role: 'assistant', content: emptyContent, tool_calls: calls }]);
    const quoted = this.called(emptyContent, [callOf({ x: 1, s: "a'b\\c" })]);
    return {
      format,
      writesCalls: true,
      emptyContent,
      takesContent: content >= 0 && call >= 0,
      takesSeveral: format.sign.test(two) && two.lastIndexOf('probe_other') > two.search(format.sign),
      needsEscapes: format.escaped !== undefined && !quoted.includes(String(format.escaped("a'b\\c"))),
      afterReasoning: this.#afterReasoning(),
      beforeCalls: content >= 0 && call > content && between.trim() === '' ? between : '',
    };
  }

  #afterReasoning(): AfterReasoning | null {
    const call = callOf();
    const between = (thought: object) => {
      const message = { role: 'assistant', content: CONTENT, tool_calls: [call], ...thought } as const;
      return /<\/think>(\s*)Some content\./.exec(this.written([user, message, answerTo(call)]))?.[1];
    };
    const some = between({ reasoning_content: 'A thought.', thinking: 'A thought.' });
    return some === undefined ? null : { some, none: between({}) ?? some };
  }
}

/** Keeps the markers of reasoning and of calls, even if they are special tokens, which decoding usually omits. */
export function decoderWithMarks(tokenizer: Tokenizer, format: CallFormat | null): (ids: readonly number[]) => string {
  const kept = new Map(
    [...reasoningMarks, ...(format?.marks ?? [])].flatMap((mark): [number, string][] => {
      const id = tokenizer.tokenToId(mark);
      return id !== undefined && tokenizer.decode([id]) === '' ? [[id, mark]] : [];
    }),
  );
  return (ids) => {
    if (!ids.some((id) => kept.has(id))) return tokenizer.decode(ids);
    const pieces: string[] = [];
    let from = 0;
    ids.forEach((id, i) => {
      if (!kept.has(id)) return;
      pieces.push(tokenizer.decode(ids.slice(from, i)), kept.get(id)!);
      from = i + 1;
    });
    return pieces.join('') + tokenizer.decode(ids.slice(from));
  };
}

/** Whether the tokenizer has all markers of a format that puts them around reasoning and content too, even without calls. */
export const mayFrameAnswers = (tokenizer: Pick<Tokenizer, 'tokenToId'>): boolean =>
  callFormats.some(
    ({ framesAnswers, marks }) => framesAnswers && marks.every((mark) => tokenizer.tokenToId(mark) !== undefined),
  );

export const endIds = (tokenizer: Tokenizer, { endMarks }: CallFormat): number[] =>
  endMarks.flatMap((mark) => tokenizer.tokenToId(mark) ?? []);
