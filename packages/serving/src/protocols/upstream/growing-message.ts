// Builds the message of another endpoint's answer from the deltas of a stream, or from a complete answer, for the record.
import { GrowingCalls, type ReadCall } from './growing-calls.js';
import { isGiven, objectOf, textOf, type Json } from './json-values.js';
import { UnreadAnswerError } from './unread-answer-error.js';

/** The message of an answer, in one form for all API protocols. */
export interface ReadMessage {
  content: string;
  reasoning?: string;
  calls: ReadCall[];
}

/** The most characters of an answer that are recorded: content, reasoning and arguments together. */
const MOST_KEPT = 2 ** 24;

/** The most choices of an answer, and the most content blocks or tool calls of a choice. */
export const MOST_PARTS = 1024;

/** Counts the recorded characters of an answer, and throws if they exceed the limit. */
export class Kept {
  #length = 0;

  text(added: string): string {
    this.#length += added.length;
    if (this.#length > MOST_KEPT) throw new UnreadAnswerError(`the answer has more than ${MOST_KEPT} characters`);
    return added;
  }
}

export class GrowingMessage {
  #content: string[] = [];
  #reasoning: string[] = [];
  readonly calls: GrowingCalls;

  constructor(private readonly kept: Kept) {
    this.calls = new GrowingCalls((text) => kept.text(text), MOST_PARTS);
  }

  addText(text: unknown): void {
    if (isGiven(text)) this.#content.push(this.kept.text(textOf(text, 'a text of the answer')));
  }

  addReasoning(text: unknown): void {
    if (isGiven(text)) this.#reasoning.push(this.kept.text(textOf(text, 'a thought of the answer')));
  }

  get message(): ReadMessage {
    const reasoning = this.#reasoning.join('');
    const calls: ReadCall[] = this.calls.all();
    return { content: this.#content.join(''), ...(reasoning !== '' && { reasoning }), calls };
  }
}

/** The part may contain reasoning, as with Mistral's models. */
export function addPart(message: GrowingMessage, part: Json): void {
  const { type } = part;
  if (type === 'text' || type === 'output_text') message.addText(part.text);
  else if (type === 'refusal') message.addText(part.refusal);
  else if (type === 'thinking') addThinking(message, part.thinking);
  else throw new UnreadAnswerError(`the content has a part of type '${String(type)}', which is not read`);
}

/** Adds reasoning, which is a text or a list of content parts. */
function addThinking(message: GrowingMessage, thinking: unknown): void {
  if (!Array.isArray(thinking)) return message.addReasoning(thinking);
  for (const each of thinking) {
    const { type, text } = objectOf(each, 'a part of a thought');
    if (type !== 'text')
      throw new UnreadAnswerError(`a thought has a part of type '${String(type)}', which is not read`);
    message.addReasoning(text);
  }
}
