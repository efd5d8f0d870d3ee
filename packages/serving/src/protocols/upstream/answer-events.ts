// Forwards the server-sent events of another endpoint's streamed answer while it is recorded. Each event is read once. Events
// that end an answer are held back until the record is on disk, since clients disconnect after them.
import { parseJson } from '@bowyer/text';
import type { Json } from './json-values.js';
import { UnreadAnswerError } from './unread-answer-error.js';

/** The most characters of one event, and of all events that are held back. A longer answer is forwarded, but not recorded. */
const MOST_HELD = 2 ** 26;

export class AnswerEvents {
  /** The chunks of an event that has not arrived completely. */
  #begun: string[] = [];
  #begunLength = 0;
  /** The last characters of the incomplete event, which may be the beginning of the separator between two events. */
  #tail = '';
  #held: string[] = [];
  #heldLength = 0;
  /** The indices of choices whose last event is held back, so that later events of these choices are held back too. */
  readonly #ended = new Set<unknown>();

  /** Why the answer cannot be recorded, after which events are forwarded immediately; null while it can. */
  failure: UnreadAnswerError | null = null;

  /**
   * @param read called with each complete event's data, or null for data that is neither a JSON object nor `[DONE]`; an
   *   `UnreadAnswerError` that it throws becomes `failure`
   * @param isEnd returns whether an event ends an answer; for protocols that do not mark the end as OpenAI's choices do
   */
  constructor(
    private readonly read: (data: Json | '[DONE]' | null) => void = () => undefined,
    private readonly isEnd: (event: Json) => boolean = () => false,
  ) {}

  /** Returns the complete events that can be forwarded; events of other choices may overtake the held-back ones. */
  add(text: string): string {
    if (this.failure !== null) return text;
    const passed: string[] = [];
    for (const part of this.#partsOf(text)) {
      const waits = this.#holds(part);
      if (this.failure !== null) passed.push(...this.#held.splice(0));
      if (!waits) passed.push(part);
    }
    if (this.#begunLength + this.#heldLength > MOST_HELD)
      this.failure ??= new UnreadAnswerError(
        `an event, or what follows the end, has more than ${MOST_HELD} characters`,
      );
    if (this.failure !== null) passed.push(this.#all());
    return passed.join('');
  }

  /** Ends the stream. It returns the held-back events in their order, and a last event that lacks the empty line at its end. */
  end(): string {
    const rest = this.#begun.join('');
    if (rest !== '' && !this.#holds(rest)) this.#held.push(rest);
    this.#begun = [];
    return this.#all();
  }

  #all(): string {
    const all = [...this.#held, ...this.#begun].join('');
    this.#held = [];
    this.#begun = [];
    return all;
  }

  /** Splits at the ends of events; the first includes its earlier chunks. Each character is scanned once. */
  #partsOf(text: string): string[] {
    const parts: string[] = [];
    const before = this.#tail;
    const both = before + text;
    let start = before.length;
    for (const { index, 0: end } of both.matchAll(/\r?\n\r?\n/g)) {
      parts.push(this.#begun.join('') + both.slice(start, index + end.length));
      this.#begun = [];
      this.#begunLength = 0;
      start = index + end.length;
    }
    const rest = both.slice(start);
    this.#begun.push(rest);
    this.#begunLength += rest.length;
    this.#tail = (parts.length > 0 ? rest : both).slice(-3);
    return parts;
  }

  #holds(part: string): boolean {
    if (this.failure !== null) return false;
    const data = dataOf(part);
    if (data !== undefined) this.#read(data);
    if (this.failure !== null) return false;
    const event = typeof data === 'object' && data !== null ? data : {};
    const choices = Array.isArray(event.choices) ? (event.choices as unknown[]).filter(isObject) : [];
    const indices = choices.map(({ index = 0 }) => index);
    const waits =
      choices.length > 0
        ? choices.some(({ finish_reason: reason }) => reason) || indices.some((index) => this.#ended.has(index))
        : this.#heldLength > 0 || data === '[DONE]' || this.isEnd(event);
    if (!waits) return false;
    for (const index of indices) this.#ended.add(index);
    this.#held.push(part);
    this.#heldLength += part.length;
    return true;
  }

  #read(data: Json | '[DONE]' | null): void {
    try {
      this.read(data);
    } catch (error) {
      if (!(error instanceof UnreadAnswerError)) throw error;
      this.failure = error;
    }
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Returns the data of an event; undefined where it has none, as a comment; null where the data cannot be parsed. */
function dataOf(part: string): Json | '[DONE]' | null | undefined {
  const lines = part.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const text = lines.map((line) => line.slice(5)).join('\n');
  if (text.trim() === '') return undefined;
  if (text.trim() === '[DONE]') return '[DONE]';
  try {
    const data = parseJson(text);
    return typeof data === 'object' && !Array.isArray(data) ? (data as Json | null) : null;
  } catch {
    return null;
  }
}
