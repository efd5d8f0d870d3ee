// Returns the parts of one answer as soon as they are certain: reasoning, content, and tool calls with growing arguments.
import { randomUUID } from 'node:crypto';
import { AnswerParts, type Call, type CallAttempt, type Tool } from './answer-parts.js';
import type { CallStyle } from './call-style.js';
import { IncomingText, type Reading } from './incoming-text.js';
import { readReasoning } from './reasoning.js';

/** A call with its index and id for the client. */
export interface CalledTool {
  index: number;
  id: string;
  name: string;
  /** The arguments as JSON, or their new text in a piece of a stream. */
  arguments: string;
}

export interface PartsOptions {
  /** How the template writes calls; null if calls are not searched for. */
  style: CallStyle | null;
  /** Whether the prompt ended with <think>. */
  startsInReasoning: boolean;
  /** The tools that may be called. */
  tools: readonly Tool[];
  /** Whether calls after the first are omitted. */
  singleCall: boolean;
}

interface Parts {
  text: string;
  reasoning?: string;
  calls?: readonly CalledTool[];
}

/** The least size of a piece of arguments, as a share of the text that was sent before, since a client may limit the number of pieces. */
const SMALLEST_PIECE = 1 / 512;

export class PartStreamer {
  readonly #input = new IncomingText();
  readonly #parts: AnswerParts;
  readonly #reading: Reading<void>;
  readonly #sent = { text: 0, reasoning: 0 };
  /** Whether text came after the end of the only allowed call. */
  #hasMore = false;
  /** Each call's id, and the number of characters of its arguments that were sent. */
  readonly #calls = new Map<Call, { id: string; sent: number }>();

  /**
   * Starts an answer.
   *
   * @param streams whether pieces are sent: a call then begins with its name, and its arguments follow as they are generated, so
   *   that an incomplete call remains a call. Otherwise a call counts only when it has ended
   */
  constructor(
    private readonly options: PartsOptions,
    private readonly streams: boolean,
  ) {
    this.#parts = new AnswerParts(options.tools, options.style?.beforeCalls ?? '');
    this.#reading = this.#read();
  }

  /** Returns the parts of the text so far, the attempts at calls, and whether calls after the first, or their beginning, are omitted. */
  get whole(): Required<Parts> & { attempts: readonly CallAttempt[]; isShortened: boolean } {
    const { content: text, reasoning, attempts } = this.#parts;
    const calls = this.#shown.map((call, index) => this.#called(call, index, call.arguments));
    const isShortened = this.#hasMore || (this.options.singleCall && this.#certain.length > 1);
    return { text, reasoning, calls, attempts, isShortened };
  }

  /** Returns whether the only allowed call has ended and no text may follow: later text is not read. */
  get isOver(): boolean {
    const { singleCall, style } = this.options;
    return singleCall && style?.format.callsStandAlone === true && this.#parts.attempts.some(isCall);
  }

  /** Adds text. @param isLast whether no text follows @returns the new text of each part; null if there is none */
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

  /** Returns the calls that can no longer become text. */
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
