// The answers of another endpoint, in all protocols, whole or streamed, as what they say: complete, or not at all.
import type { CallProtocol } from '@bowyer/serving';
import { parseJson } from '@bowyer/text';
import type { RecordedChoice, RecordedMessage } from '../../record/recorded.js';
import { AnswerEvents } from './answer-events.js';
import { ForeignCalls, type ForeignCall } from './foreign-calls.js';
import { UnreadAnswerError } from './unread-answer-error.js';

/** One answer of an endpoint. */
export interface ForeignChoice {
  message: RecordedMessage;
  finishReason: RecordedChoice['finishReason'];
}

type Json = Record<string, unknown>;

/** An answer while its pieces come. */
interface ForeignAnswer {
  /** Reads a piece, or the whole. @throws {UnreadAnswerError} where it has what a record cannot */
  add(piece: Json): void;
  /** The stream has said that nothing follows. */
  done?(): void;
  /** The choices by their indices. @throws {UnreadAnswerError} where the answer is not complete */
  choices(): ForeignChoice[];
}

/**
 * Begins an answer.
 *
 * @param isStream the pieces of a stream are added, else the whole answer
 * @param n the choices that were asked for
 */
export function openForeignAnswer(protocol: CallProtocol, isStream: boolean, n = 1): ForeignAnswer {
  if (protocol === 'messages') return new MessageAnswer();
  if (protocol === 'responses') return new ResponseAnswer();
  const part = isStream ? 'delta' : 'message';
  return new ChoiceAnswers(protocol === 'completions' ? 'text' : part, isStream ? n : 1);
}

/** Reads a whole answer, or the whole text of a stream. @throws {UnreadAnswerError | SyntaxError} */
export function foreignAnswer(protocol: CallProtocol, text: string, isStream: boolean): ForeignChoice[] {
  const answer = openForeignAnswer(protocol, isStream);
  if (!isStream) {
    answer.add(objectOf(parseJson(text), 'the answer'));
    return answer.choices();
  }
  const events = new AnswerEvents(addEvent(answer));
  events.add(text);
  events.end();
  if (events.failure !== null) throw events.failure;
  return answer.choices();
}

/** Returns a function that reads the events of a stream. */
export const addEvent =
  (answer: ForeignAnswer) =>
  (data: Json | '[DONE]' | null): void => {
    if (data === null) throw new UnreadAnswerError('an event of the stream is not a JSON object');
    if (data === '[DONE]') answer.done?.();
    else answer.add(data);
  };

/** Characters of an answer that are kept: texts, thoughts, arguments. */
const MOST_KEPT = 2 ** 24;

/** The choices of an answer, or the content blocks or calls of one. */
const MOST_PARTS = 1024;

/** Counts the characters that are kept of an answer: one that never ends is not kept without a bound. */
class Kept {
  #length = 0;

  text(added: string): string {
    this.#length += added.length;
    if (this.#length > MOST_KEPT) throw new UnreadAnswerError(`the answer has more than ${MOST_KEPT} characters`);
    return added;
  }
}

/** A message while it grows. */
class GrowingMessage {
  #content: string[] = [];
  #reasoning: string[] = [];
  readonly calls: ForeignCalls;

  constructor(private readonly kept: Kept) {
    this.calls = new ForeignCalls((text) => kept.text(text), MOST_PARTS);
  }

  addText(text: unknown): void {
    if (isGiven(text)) this.#content.push(this.kept.text(textOf(text, 'a text of the answer')));
  }

  addReasoning(text: unknown): void {
    if (isGiven(text)) this.#reasoning.push(this.kept.text(textOf(text, 'a thought of the answer')));
  }

  get message(): RecordedMessage {
    const reasoning = this.#reasoning.join('');
    const calls: ForeignCall[] = this.calls.all();
    return { content: this.#content.join(''), ...(reasoning !== '' && { reasoning }), calls };
  }
}

/** Chat Completions and Completions. */
class ChoiceAnswers implements ForeignAnswer {
  readonly #kept = new Kept();
  readonly #choices = new Map<number, { message: GrowingMessage; reason: unknown }>();

  #isDone = false;

  /** @param expected there are as many choices, unless the stream has said that no more follow */
  constructor(
    private readonly part: 'message' | 'delta' | 'text',
    private readonly expected: number,
  ) {}

  done(): void {
    this.#isDone = true;
  }

  add(piece: Json): void {
    refuseError(piece);
    for (const [i, each] of listOf(piece.choices ?? [], 'choices').entries()) {
      const given = objectOf(each, 'a choice');
      const choice = this.#choice(Number(given.index ?? (this.part === 'delta' ? 0 : i)));
      if (this.part === 'text') choice.message.addText(given.text);
      else this.#addMessage(choice.message, objectOf(given[this.part] ?? {}, `the ${this.part} of a choice`));
      choice.reason = given.finish_reason || choice.reason;
    }
  }

  choices(): ForeignChoice[] {
    if (this.#choices.size === 0) throw new UnreadAnswerError('it has no choices');
    if (!this.#isDone && this.#choices.size < this.expected)
      throw new UnreadAnswerError(`it broke off behind ${this.#choices.size} of ${this.expected} choices`);
    const inOrder = [...this.#choices].sort(([a], [b]) => a - b);
    return inOrder.map(([index, { message, reason }]) =>
      ended(message.message, reasonOf(reason, 'finish_reason', `choice ${index}`)),
    );
  }

  #choice(index: number): { message: GrowingMessage; reason: unknown } {
    if (!Number.isSafeInteger(index) || index < 0) throw new UnreadAnswerError(`a choice has the index ${index}`);
    const known = this.#choices.get(index) ?? { message: new GrowingMessage(this.#kept), reason: undefined };
    this.#choices.set(index, known);
    if (this.#choices.size > MOST_PARTS) throw new UnreadAnswerError(`it has more than ${MOST_PARTS} choices`);
    return known;
  }

  #addMessage(message: GrowingMessage, added: Json): void {
    for (const key of ['function_call', 'audio', 'images'])
      if (isGiven(added[key])) throw new UnreadAnswerError(`a message has '${key}', which is not read`);
    if (Array.isArray(added.content)) for (const part of added.content) addPart(message, objectOf(part, 'a part'));
    else message.addText(added.content);
    message.addText(added.refusal);
    const reasoning = added.reasoning_content ?? added.reasoning;
    if (isGiven(reasoning)) message.addReasoning(reasoning);
    else for (const detail of listOf(added.reasoning_details ?? [], 'reasoning_details')) addDetail(message, detail);
    const calls = listOf(added.tool_calls ?? [], 'tool_calls').map((call) => objectOf(call, 'a call'));
    if (this.part === 'message') for (const call of calls) message.calls.add(call);
    else message.calls.addPieces(calls);
  }
}

/** A part of a message's content, as Mistral's models that think give it. */
function addPart(message: GrowingMessage, part: Json): void {
  const { type } = part;
  if (type === 'text' || type === 'output_text') message.addText(part.text);
  else if (type === 'refusal') message.addText(part.refusal);
  else if (type === 'thinking') addThinking(message, part.thinking);
  else throw new UnreadAnswerError(`the content has a part of type '${String(type)}', which is not read`);
}

/** A text, or parts of one. */
function addThinking(message: GrowingMessage, thinking: unknown): void {
  if (!Array.isArray(thinking)) return message.addReasoning(thinking);
  for (const each of thinking) {
    const { type, text } = objectOf(each, 'a part of a thought');
    if (type !== 'text')
      throw new UnreadAnswerError(`a thought has a part of type '${String(type)}', which is not read`);
    message.addReasoning(text);
  }
}

/** OpenRouter's form of thoughts; those that are encrypted say nothing. */
function addDetail(message: GrowingMessage, detail: unknown): void {
  const { text, summary } = objectOf(detail, 'a detail of a thought');
  message.addReasoning(text ?? summary);
}

/** Anthropic's messages, whole or from the events of their blocks. */
class MessageAnswer implements ForeignAnswer {
  readonly #kept = new Kept();
  readonly #blocks = new Map<number, Json>();
  #stop: unknown;

  add(piece: Json): void {
    refuseError(piece);
    const { type, delta, content } = piece;
    if (type === 'content_block_start') this.#begin(piece.index, objectOf(piece.content_block, 'a content block'));
    else if (type === 'content_block_delta') this.#extend(piece.index, objectOf(delta, 'the delta of a block'));
    else if (type === 'message_delta') this.#stop = objectOf(delta, 'the delta of a message').stop_reason ?? this.#stop;
    else if (Array.isArray(content)) {
      content.forEach((block, i) => this.#begin(i, objectOf(block, 'a content block')));
      this.#stop = piece.stop_reason;
    }
  }

  choices(): ForeignChoice[] {
    const finishReason = reasonOf(this.#stop, 'stop_reason', 'the message');
    const message = new GrowingMessage(this.#kept);
    for (const [, block] of [...this.#blocks].sort(([a], [b]) => a - b)) addBlock(message, block);
    return [ended(message.message, finishReason)];
  }

  #begin(at: unknown, block: Json): void {
    const index = Number(at ?? 0);
    if (this.#blocks.has(index)) throw new UnreadAnswerError(`two content blocks have the index ${index}`);
    if (this.#blocks.size >= MOST_PARTS) throw new UnreadAnswerError(`it has more than ${MOST_PARTS} content blocks`);
    this.#blocks.set(index, { ...block, pieces: [] });
  }

  #extend(at: unknown, delta: Json): void {
    const index = Number(at ?? 0);
    const block = this.#blocks.get(index);
    if (block === undefined)
      throw new UnreadAnswerError(`a piece of content block ${index} comes before its beginning`);
    const text = delta.text ?? delta.thinking ?? delta.partial_json;
    // Signatures and citations say nothing more.
    if (isGiven(text)) (block.pieces as string[]).push(this.#kept.text(textOf(text, 'the piece of a block')));
  }
}

function addBlock(message: GrowingMessage, { type, pieces, ...block }: Json): void {
  const grown = (pieces as string[]).join('');
  if (type === 'text') message.addText(textOf(block.text ?? '', 'a text') + grown);
  else if (type === 'thinking') message.addReasoning(textOf(block.thinking ?? '', 'a thought') + grown);
  else if (type === 'tool_use')
    message.calls.add({ id: block.id, function: { name: block.name, arguments: grown || (block.input ?? {}) } });
  else if (type !== 'redacted_thinking')
    throw new UnreadAnswerError(`it has a content block of type '${String(type)}', which is not read`);
}

/** Responses: the last event has the whole. */
class ResponseAnswer implements ForeignAnswer {
  readonly #items: unknown[] = [];
  #whole: Json | null = null;

  add(piece: Json): void {
    refuseError(piece);
    const { type, response } = piece;
    if (type === 'response.output_item.done') {
      if (this.#items.length >= MOST_PARTS) throw new UnreadAnswerError(`it has more than ${MOST_PARTS} items`);
      this.#items.push(piece.item);
    } else if (typeof type === 'string' && ENDS_OF_RESPONSES.includes(type))
      this.#whole = { status: type.slice('response.'.length), ...objectOf(response, 'the response') };
    else if ('output' in piece) this.#whole = piece;
  }

  choices(): ForeignChoice[] {
    const whole = this.#whole;
    if (whole === null)
      throw new UnreadAnswerError('it has no end: neither response.completed nor response.incomplete');
    refuseError(whole);
    const { status, incomplete_details: details } = whole;
    const message = new GrowingMessage(new Kept());
    const output = listOf(whole.output ?? [], 'output');
    // Some endpoints leave the items out of the last event.
    for (const item of output.length > 0 ? output : this.#items) addItem(message, objectOf(item, 'an item'));
    const said = message.message;
    if (status === 'completed') return [ended(said, 'stop')];
    const { reason } = objectOf(details ?? {}, 'incomplete_details');
    if (status === 'incomplete' && (reason ?? 'max_output_tokens') === 'max_output_tokens')
      return [{ message: said, finishReason: 'length' }];
    throw new UnreadAnswerError(`its status is '${String(status)}'${isGiven(reason) ? ` (${String(reason)})` : ''}`);
  }
}

const ENDS_OF_RESPONSES = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'];

function addItem(message: GrowingMessage, item: Json): void {
  const { type } = item;
  const parts = (value: unknown) =>
    listOf(value ?? [], `the content of an item`).map((part) => objectOf(part, 'a part'));
  if (type === 'message') for (const part of parts(item.content)) addPart(message, part);
  else if (type === 'reasoning') {
    const content = parts(item.content);
    for (const { text } of content.length > 0 ? content : parts(item.summary)) message.addReasoning(text);
  } else if (type === 'function_call')
    message.calls.add({ id: item.call_id, function: { name: item.name, arguments: item.arguments } });
  else throw new UnreadAnswerError(`it has an item of type '${String(type)}', which is not read`);
}

/** Ends that a model has written. */
const ENDS = ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence'];
const CALLS = ['tool_calls', 'tool_use'];
/** Ends that it has not. */
const CUTS = ['length', 'max_tokens', 'model_length', 'model_context_window_exceeded'];

function reasonOf(given: unknown, key: string, what: string): ForeignChoice['finishReason'] {
  if (!isGiven(given)) throw new UnreadAnswerError(`${what} has no ${key}: it broke off`);
  const reason = String(given).toLowerCase();
  if (CUTS.includes(reason)) return 'length';
  if (CALLS.includes(reason)) return 'tool_calls';
  if (ENDS.includes(reason)) return 'stop';
  throw new UnreadAnswerError(`${what} ended with ${key} '${String(given)}', which is not an end that a model writes`);
}

/** An answer with its end: endpoints also say `stop` behind calls. @throws {UnreadAnswerError} where its calls are missing */
function ended(message: RecordedMessage, reason: ForeignChoice['finishReason']): ForeignChoice {
  if (reason === 'tool_calls' && message.calls.length === 0)
    throw new UnreadAnswerError('it ended with calls, and has none');
  return { message, finishReason: reason === 'stop' && message.calls.length > 0 ? 'tool_calls' : reason };
}

/** Events of errors, in all protocols, and answers that are one. */
function refuseError({ type, error, message }: Json): void {
  if (type !== 'error' && !isGiven(error)) return;
  const { message: text = message } = typeof error === 'object' && error !== null ? (error as Json) : {};
  throw new UnreadAnswerError(`it ended with an error: ${JSON.stringify(text ?? error)}`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new UnreadAnswerError(`${what} is not a text`);
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new UnreadAnswerError(`${what} is not an object`);
}

function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnreadAnswerError(`'${what}' is not a list`);
}
