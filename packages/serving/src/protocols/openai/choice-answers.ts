// Reads answers in the form of Chat Completions or Completions that another endpoint has sent, so that they can be recorded.
import { ended, reasonOf, refuseError, type AnswerReader, type ReadChoice } from '../upstream/answer-reader.js';
import { addPart, GrowingMessage, Kept, MOST_PARTS } from '../upstream/growing-message.js';
import { isGiven, listOf, objectOf, type Json } from '../upstream/json-values.js';
import { UnreadAnswerError } from '../upstream/unread-answer-error.js';

export class ChoiceAnswers implements AnswerReader {
  readonly #kept = new Kept();
  readonly #choices = new Map<number, { message: GrowingMessage; reason: unknown }>();

  #isDone = false;

  /** @param expected the number of choices that the answer must have */
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
      refuseError(given); // OpenRouter reports a provider's error in a choice
      const choice = this.#choice(Number(given.index ?? (this.part === 'delta' ? 0 : i)));
      if (this.part === 'text') choice.message.addText(given.text);
      else this.#addMessage(choice.message, objectOf(given[this.part] ?? {}, `the ${this.part} of a choice`));
      choice.reason = given.finish_reason || choice.reason;
    }
  }

  choices(): ReadChoice[] {
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

/** Adds reasoning that has OpenRouter's form; encrypted reasoning is skipped, since it has no text. */
function addDetail(message: GrowingMessage, detail: unknown): void {
  const { text, summary } = objectOf(detail, 'a detail of a thought');
  message.addReasoning(text ?? summary);
}
