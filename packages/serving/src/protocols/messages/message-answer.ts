// Reads answers in the form of Anthropic's Messages API that another endpoint has sent, so that they can be recorded.
import { ended, reasonOf, refuseError, type AnswerReader, type ReadChoice } from '../upstream/answer-reader.js';
import { GrowingMessage, Kept, MOST_PARTS } from '../upstream/growing-message.js';
import { isGiven, objectOf, textOf, type Json } from '../upstream/json-values.js';
import { UnreadAnswerError } from '../upstream/unread-answer-error.js';

/** Reads a message: a complete one, or one from the events of a stream, which build up its content blocks. */
export class MessageAnswer implements AnswerReader {
  readonly #kept = new Kept();
  readonly #blocks = new Map<number, Json>();
  #stop: unknown;
  #stopText: unknown;

  add(piece: Json): void {
    refuseError(piece);
    const { type, delta, content } = piece;
    if (type === 'content_block_start') this.#begin(piece.index, objectOf(piece.content_block, 'a content block'));
    else if (type === 'content_block_delta') this.#extend(piece.index, objectOf(delta, 'the delta of a block'));
    else if (type === 'message_delta') this.#end(objectOf(delta, 'the delta of a message'));
    else if (Array.isArray(content)) {
      content.forEach((block, i) => this.#begin(i, objectOf(block, 'a content block')));
      this.#end(piece);
    }
  }

  choices(): ReadChoice[] {
    const finishReason = reasonOf(this.#stop, 'stop_reason', 'the message');
    const message = new GrowingMessage(this.#kept);
    for (const [, block] of [...this.#blocks].sort(([a], [b]) => a - b)) addBlock(message, block);
    const isStopped = this.#stop === 'stop_sequence';
    return [{ ...ended(message.message, finishReason), ...(isStopped && { stop: String(this.#stopText ?? '') }) }];
  }

  #end({ stop_reason: reason, stop_sequence: text }: Json): void {
    this.#stop = reason ?? this.#stop;
    this.#stopText = text ?? this.#stopText;
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
    // Pieces without text, which are signatures and citations, are skipped, since there is nothing to record.
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
