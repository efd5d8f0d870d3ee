// Reads answers in the form of OpenAI's Responses API that another endpoint has sent, so that they can be recorded.
import { ended, refuseError, type AnswerReader, type ReadChoice } from '../upstream/answer-reader.js';
import { addPart, GrowingMessage, Kept, MOST_PARTS } from '../upstream/growing-message.js';
import { isGiven, listOf, objectOf, type Json } from '../upstream/json-values.js';
import { UnreadAnswerError } from '../upstream/unread-answer-error.js';

/** Reads a response: a complete one, or the last event of a stream, which contains the complete response. */
export class ResponseAnswer implements AnswerReader {
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

  choices(): ReadChoice[] {
    const whole = this.#whole;
    if (whole === null)
      throw new UnreadAnswerError('it has no end: neither response.completed nor response.incomplete');
    refuseError(whole);
    const { status, incomplete_details: details } = whole;
    const message = new GrowingMessage(new Kept());
    const output = listOf(whole.output ?? [], 'output');
    // If the last event of a stream contains no items, as with some endpoints, those of the earlier events are used.
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
