// The protocol of docs/extending/protocol.md.
import type { Choice, Completed } from '../src/generation/answer.js';
import { callRoutes } from '../src/protocols/answer-exchange.js';
import { readTextRequest } from '../src/protocols/completions/read-text-request.js';
import { event, type AnswerWriter, type Fault, type ModelCalls, type ProtocolUnit } from '../src/protocols/protocol.js';
import type { AnswerReader, ReadChoice } from '../src/protocols/upstream/answer-reader.js';
import { textOf } from '../src/protocols/upstream/json-values.js';
import { UnreadAnswerError } from '../src/protocols/upstream/unread-answer-error.js';

/** Writes answers: whole, or as the events of a stream. */
class GenerateWriter implements AnswerWriter {
  readonly id = `gen-${crypto.randomUUID()}`;
  begin = () => '';
  piece = ({ text }: Choice) => event({ response: text, done: false });
  end = () => event({ response: '', done: true });
  fail = ({ message }: Fault) => event({ error: message });
  whole = ({ choices: [{ text }] }: Completed) => ({ response: text, done: true });
}

/** Reads the answers of another endpoint, whole or event by event. */
class GenerateAnswer implements AnswerReader {
  #text = '';
  #isDone = false;

  add({ response, done }: Record<string, unknown>): void {
    this.#text += textOf(response ?? '', 'a response');
    this.#isDone ||= done === true;
  }

  choices(): ReadChoice[] {
    if (!this.#isDone) throw new UnreadAnswerError('it broke off');
    return [{ message: { content: this.#text, calls: [] }, finishReason: 'stop' }];
  }
}

const calls: ModelCalls = {
  name: 'generate',
  paths: ['/api/generate'],
  errorBody: ({ message }) => ({ error: message }),
  dialogue: () => Promise.resolve(null),
  answer: () => new GenerateAnswer(),
  isEnd: ({ done }) => done === true,
};

export const generate: ProtocolUnit = {
  calls,
  serve: (served) => ({
    errorBody: calls.errorBody,
    routes: callRoutes(served, calls, readTextRequest, () => new GenerateWriter()),
  }),
};
