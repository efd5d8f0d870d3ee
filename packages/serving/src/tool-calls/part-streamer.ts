// Splits an answer, while it is generated, into reasoning, content and tool calls, and returns text once its part is certain.
import { randomUUID } from 'node:crypto';
import { AnswerParts, type Call, type CallAttempt, type Tool } from './answer-parts.js';
import type { CallStyle } from './call-style.js';
import { IncomingText, type Reading } from './incoming-text.js';
import { readReasoning } from './reasoning.js';

/** A tool call with the index and the id that the client gets. */
export interface CalledTool {
  index: number;
  id: string;
  name: string;
  /** The arguments as JSON text; in a chunk of a stream only their new text. */
  arguments: string;
}

export interface PartsOptions {
  /** Null if the answer is not searched for calls. */
  style: CallStyle | null;
  /** Whether the prompt ended with the marker that opens reasoning, such as `<think>`. */
  startsInReasoning: boolean;
  tools: readonly Tool[];
  /** Whether only the first call is returned. */
  singleCall: boolean;
}

interface Parts {
  text: string;
  reasoning?: string;
  calls?: readonly CalledTool[];
}

/** The least chunk of arguments, as a fraction of the text sent before, since a client may limit the number of chunks. */
const SMALLEST_PIECE = 1 / 512;

export class PartStreamer {
  readonly #input = new IncomingText();
  readonly #parts: AnswerParts;
  readonly #reading: Reading<void>;
  readonly #sent = { text: 0, reasoning: 0 };
  /** Whether the answer continues after the end of the only allowed call. */
  #hasMore = false;
  /** The id of each call, and the number of characters of its arguments that were sent. */
  readonly #calls = new Map<Call, { id: string; sent: number }>();

  /**
   * @param streams whether chunks are sent to the client. A call then begins as soon as its name is known, and an incomplete call
   *   remains a call; otherwise only a complete call counts as one
   */
  constructor(
    private readonly options: PartsOptions,
    private readonly streams: boolean,
  ) {
    this.#parts = new AnswerParts(options.tools, options.style?.beforeCalls ?? '');
    this.#reading = this.#read();
  }

  /** Returns everything so far: reasoning, content, calls, attempts at calls, and whether calls after the first were removed. */
  get whole(): Required<Parts> & { attempts: readonly CallAttempt[]; isShortened: boolean } {
    const { content: text, reasoning, attempts } = this.#parts;
    const calls = this.#shown.map((call, index) => this.#called(call, index, call.arguments));
    const isShortened = this.#hasMore || (this.options.singleCall && this.#certain.length > 1);
    return { text, reasoning, calls, attempts, isShortened };
  }

  /** Returns whether the only allowed call has ended, so that the rest of the answer is ignored. */
  get isOver(): boolean {
    const { singleCall, style } = this.options;
    return singleCall && style?.format.callsStandAlone === true && this.#parts.attempts.some(isCall);
  }

  /** @param isLast whether it is the end of the answer @returns the new text of each part; null if nothing new is certain */
  add(text: string, isLast: boolean): Parts | null {
    if (this.isOver) {
      if (text.trim() !== '') this.#hasMore = true;
    } else {
      this.#input.append(text, isLast);
      this.#reading.next();
      const end = this.isOver ? this.#parts.attempts.find(isCall)!.end : Infinity;
      if (this.#input.text.slice(end).trim() !== '') this.#hasMore = true;
    }
    const { content, reasoning } = this.#parts;
    const piece = {
      text: content.slice(this.#sent.text),
      reasoning: reasoning.slice(this.#sent.reasoning),
      calls: this.#shown.flatMap((call, index) => this.#newOf(call, index)),
    };
    Object.assign(this.#sent, { text: content.length, reasoning: reasoning.length });
    return piece.text === '' && piece.reasoning === '' && piece.calls.length === 0 ? null : piece;
  }

  *#read(): Reading<void> {
    const { style, startsInReasoning } = this.options;
    if (!style?.format.framesAnswers)
      yield* readReasoning(this.#input, this.#parts, startsInReasoning, style?.afterReasoning ?? null);
    if (style) yield* style.format.read(this.#input, this.#parts);
    else yield* this.#input.takeUpTo([], this.#parts.addText);
    this.#parts.end();
  }

  /** Returns the calls that are certain: those that can no longer turn out to be text. */
  get #certain(): readonly Call[] {
    return this.#parts.calls.filter(
      (call) => call.hasEnded || (this.streams && call.tool !== undefined && call.arguments !== ''),
    );
  }

  get #shown(): readonly Call[] {
    return this.options.singleCall ? this.#certain.slice(0, 1) : this.#certain;
  }

  #newOf(call: Call, index: number): CalledTool[] {
    const isFirst = !this.#calls.has(call);
    const called = this.#called(call, index, '');
    const state = this.#calls.get(call)!;
    const text = call.arguments.slice(state.sent);
    const isEnough = call.hasEnded ? text !== '' : text.length > state.sent * SMALLEST_PIECE;
    if (!isFirst && !isEnough) return [];
    state.sent = call.arguments.length;
    call.isSent = true;
    return [{ ...called, arguments: text }];
  }

  #called(call: Call, index: number, text: string): CalledTool {
    const state = this.#calls.get(call) ?? { id: call.id ?? this.#callId(), sent: 0 };
    this.#calls.set(call, state);
    return { index, id: state.id, name: call.name!, arguments: text };
  }

  #callId(): string {
    return this.options.style!.format.callId(randomUUID().replaceAll('-', ''));
  }
}

const isCall = ({ status }: CallAttempt): boolean => status === 'ok';
