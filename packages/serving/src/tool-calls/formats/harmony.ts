// Parses the answers of gpt-oss, which consist of messages in channels. `<|channel|>analysis<|message|>…<|end|>` is reasoning,
// `<|channel|>final<|message|>…` is content, and ` to=functions.f<|channel|>commentary json<|message|>{…}<|call|>` is a tool
// call, which ends the answer; the recipient ` to=…` may also follow the channel. Source: github.com/openai/harmony,
// docs/format.md; the chat template of gpt-oss.
import { either, sequence, text, textWithout, type ChatMessage, type ContentPart, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, Call } from '../answer-parts.js';
import { longId, type CallFormat } from '../call-format.js';
import type { GrammarMarks } from '../grammar-marks.js';
import type { IncomingText, Reading } from '../incoming-text.js';
import { readArguments } from '../json-call.js';

const [START, CHANNEL, MESSAGE] = ['<|start|>', '<|channel|>', '<|message|>'];
const [END, CALL, RETURN, CONSTRAIN] = ['<|end|>', '<|call|>', '<|return|>', '<|constrain|>'];
const ENDS = [END, CALL, RETURN, START];

export const harmony: CallFormat = {
  name: 'harmony',
  sign: /to=functions\.probe_tool\s*<\|channel\|>|<\|channel\|>\w+ to=functions\.probe_tool/,
  marks: [START, CHANNEL, MESSAGE, END, CALL, RETURN, CONSTRAIN],
  endMarks: [CALL, RETURN],
  argumentsAreJson: true,
  callsStandAlone: false,
  framesAnswers: true,
  reasoningMarks: [`${CHANNEL}analysis${MESSAGE}`, END],
  callId: longId,
  read: readMessages,
  historyMessage: asThinking,
  framed: inFinal,
  optional: (calls, marks) => either(calls, inFinal(textWithout(END), marks)),
  reasoning: ({ of }) => {
    const begin = sequence(of(CHANNEL), text('analysis'), of(MESSAGE));
    return either(text(''), sequence(begin, textWithout(END), of(END), of(START), text('assistant')));
  },
  // The grammar allows only one call, since a call ends the answer in this format.
  grammar: (tools, { marks, jsonArguments }) => {
    const channel = sequence(marks.of(CHANNEL), text('commentary json'), marks.of(MESSAGE));
    return either(...tools.map((tool) => sequence(text(` to=functions.${tool.name}`), channel, jsonArguments(tool))));
  },
};

function inFinal(content: Grammar, { of }: GrammarMarks): Grammar {
  return sequence(of(CHANNEL), text('final'), of(MESSAGE), content);
}

function* readMessages(input: IncomingText, parts: AnswerParts): Reading<void> {
  do {
    const from = input.at;
    yield* input.take(START);
    const header = yield* readHeader(input);
    if (header === null) {
      // Text without a header is not within a message, and becomes content.
      parts.addText(input.text.slice(from, input.at));
      yield* input.takeUpTo(ENDS, parts.addText);
    } else if (header.recipient !== null) {
      const { recipient } = header;
      yield* parts.attempt(input, (body, call) => readCall(body, call, recipient), { from });
    } else yield* readText(input, parts, header.channel);
    if (yield* input.take(END)) continue;
    if (!(yield* input.take(CALL))) yield* input.take(RETURN);
  } while ((yield* input.peek()) !== '');
}

/** Parses the header of a message. If there is no header, the input's position does not change, and the result is null. */
function* readHeader(input: IncomingText): Reading<{ channel: string; recipient: string | null } | null> {
  const start = input.at;
  yield* input.take('assistant');
  const opens = (yield* input.startsWith(CHANNEL)) || (yield* input.startsWith(' to='));
  let header = '';
  if (opens && (yield* input.takeUpTo([MESSAGE, END, CALL, RETURN], (piece) => (header += piece))) === MESSAGE) {
    yield* input.take(MESSAGE);
    // The last channel counts, and the assistant never as a recipient, since models may write both wrongly.
    const channel = /.*<\|channel\|>(\w+)/s.exec(header)?.[1] ?? 'final';
    const recipient = /\bto=(?!assistant\b)([^\s<]+)/.exec(header)?.[1] ?? null;
    return { channel, recipient };
  }
  input.at = start;
  return null;
}

/** Parses the text of a message; the texts of several messages in the same channel are joined by a line break. */
function* readText(input: IncomingText, parts: AnswerParts, channel: string): Reading<void> {
  const isReasoning = channel === 'analysis';
  const add = isReasoning ? parts.addReasoning : parts.addText;
  let isNextMessage = (isReasoning ? parts.reasoning : parts.content) !== '';
  yield* input.takeUpTo(ENDS, (piece) => {
    add(isNextMessage ? `\n${piece}` : piece);
    isNextMessage = false;
  });
}

function* readCall(input: IncomingText, call: Call, recipient: string): Reading<AttemptStatus> {
  const failure = call.named(recipient.replace(/^functions\./, ''));
  if (failure !== null) return failure;
  yield* input.skipSpace();
  const wrong = yield* readArguments(input, call);
  if (wrong !== null) return wrong;
  yield* input.skipSpace();
  return 'ok';
}

/** Joins reasoning and content to one text of reasoning, since the templates accept only one text together with a call. */
function asThinking({ thinking, reasoning_content: reasoning, content, ...message }: ChatMessage): ChatMessage {
  const texts = [thinking ?? reasoning, textOf(content)].filter((text) => typeof text === 'string' && text !== '');
  return { ...message, content: '', ...(texts.length > 0 && { thinking: texts.join('\n\n') }) };
}

const textOf = (content: ChatMessage['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map(({ text: part }: ContentPart) => String(part ?? '')).join('');
