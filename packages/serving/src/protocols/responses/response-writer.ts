// Writes the answer to POST /v1/responses: complete, or as the numbered events of a stream.
import { randomUUID } from 'node:crypto';
import type { Steps } from '@bowyer/text';
import type { Choice, Completed, Usage } from '../../generation/answer.js';
import { event, eventInSteps, type AnswerWriter, type Fault } from '../protocol.js';
import { seconds } from '../seconds.js';
import type { ResponseRequest } from './read-response-request.js';
import { ResponseItems, type ItemEvent } from './response-items.js';
import type { Item } from './stored-responses.js';

interface ResponseWriterOptions {
  request: Pick<ResponseRequest, 'repeated' | 'summarizes' | 'include' | 'spaced'>;
  model: string;
  created: number;
  /** Receives the finished response before it is sent to the client, so that it can be stored. */
  onEnd: (id: string, response: object, output: readonly Item[]) => Steps<void>;
}

export class ResponseWriter implements AnswerWriter {
  readonly id = `resp_${randomUUID().replaceAll('-', '')}`;
  readonly #items: ResponseItems;
  #number = 0;
  #finishReason: Choice['finishReason'] = null;

  constructor(private readonly options: ResponseWriterOptions) {
    const { summarizes, include, spaced } = options.request;
    this.#items = new ResponseItems({
      summarizes,
      spaced,
      sendsEncrypted: include.includes('reasoning.encrypted_content'),
    });
  }

  *whole({ choices: [choice], usage }: Completed): Steps<object> {
    this.#items.add(choice);
    this.#finishReason = choice.finishReason;
    this.#items.end(this.#status());
    return yield* this.#ended(usage);
  }

  begin(): string {
    const response = this.#response('in_progress');
    return this.#events([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ]);
  }

  piece(choice: Choice): string {
    if (choice.finishReason !== null) this.#finishReason = choice.finishReason;
    return this.#events(this.#items.add(choice));
  }

  *end({ usage }: Completed): Steps<Buffer[]> {
    const status = this.#status();
    const last = this.#items.end(status);
    const events: Buffer[][] = [];
    const response = yield* this.#ended(usage);
    for (const each of [...last, { type: `response.${status}`, response }])
      events.push(yield* eventInSteps({ ...each, sequence_number: this.#number++ }, each.type));
    return events.flat();
  }

  fail({ message, code }: Fault): string {
    const error = { code: code ?? 'server_error', message };
    const response = { ...this.#response('failed'), output: this.#items.items, error };
    return this.#events([{ type: 'response.failed', response }]);
  }

  #status(): 'completed' | 'incomplete' {
    return this.#finishReason === 'length' ? 'incomplete' : 'completed';
  }

  *#ended(usage: Usage): Steps<object> {
    const status = this.#status();
    const response = {
      ...this.#response(status),
      completed_at: status === 'completed' ? seconds() : null,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      output: this.#items.items,
      usage: usageOf(usage),
    };
    yield* this.options.onEnd(this.id, response, this.#items.items);
    return response;
  }

  #response(status: 'in_progress' | 'completed' | 'incomplete' | 'failed'): object {
    const { model, created, request } = this.options;
    return {
      id: this.id,
      object: 'response',
      created_at: created,
      completed_at: null,
      status,
      error: null,
      incomplete_details: null,
      model,
      output: [],
      usage: null,
      ...request.repeated,
    };
  }

  #events(events: readonly ItemEvent[]): string {
    return events.map((each) => event({ ...each, sequence_number: this.#number++ }, each.type)).join('');
  }
}

const usageOf = ({ promptTokens, cachedPromptTokens, completionTokens, reasoningTokens }: Usage): object => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedPromptTokens, cache_write_tokens: 0 },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: promptTokens + completionTokens,
});
