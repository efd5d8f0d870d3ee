// Defines the routes of OpenAI's Responses API, with those that read and delete stored responses and count a prompt's tokens.
import { promptIds, writtenChat } from '../../generation/write-chat.js';
import { BadRequestError } from '../../generation/request-error.js';
import type { HttpAnswer } from '../../http/http-listener.js';
import { answered, generatorOf, inCall, type ModelCall } from '../answer-exchange.js';
import { listIgnored } from '../fields/ignored-fields.js';
import { openaiError } from '../openai/errors.js';
import type { Exchange, ModelCalls, Protocol, ProtocolUnit, Route, ServedModels } from '../protocol.js';
import { dialogueOf, readerFor } from '../dialogue.js';
import { fieldTable, placesOf } from '../fields/field-table.js';
import { seconds } from '../seconds.js';
import { nestedResponseFields, responseFields } from './known-fields.js';
import { ResponseAnswer } from './response-answer.js';
import { listInputItems } from './input-items.js';
import { readResponseRequest } from './read-response-request.js';
import { ResponseWriter } from './response-writer.js';
import { StoredResponses, type StoredResponse } from './stored-responses.js';

const PATH = '/v1/responses';

const calls: ModelCalls = {
  name: 'responses',
  paths: [PATH],
  errorBody: openaiError,
  async dialogue(body, signal) {
    const none = new StoredResponses({ responses: 0, bytes: 0 });
    return dialogueOf((await readResponseRequest(body, readerFor(body), none, signal)).chat);
  },
  answer: () => new ResponseAnswer(),
  isEnd: ({ type }) => ['response.completed', 'response.incomplete', 'response.failed'].includes(String(type)),
};

export const responses: ProtocolUnit = {
  serve,
  calls,
  fieldTable: () => fieldTable([['a request', responseFields], ...placesOf(nestedResponseFields)]),
};

function serve(served: ServedModels): Protocol {
  const stored = new StoredResponses(served.storage);
  const find = ({ parameters: { id } }: Exchange): StoredResponse => found(stored.get(id), id);
  const answer = (json: object): Promise<HttpAnswer> => Promise.resolve({ status: 200, json });
  const one = `${PATH}/{id}`;
  return {
    errorBody: openaiError,
    routes: [
      {
        method: 'POST',
        path: PATH,
        respond: (exchange) => inCall(served, calls, exchange, (call) => create(call, stored)),
      },
      { method: 'POST', path: `${PATH}/input_tokens`, respond: (exchange) => countTokens(served, stored, exchange) },
      { method: 'GET', path: one, respond: async (exchange) => answer(retrieved(find(exchange), exchange)) },
      { method: 'DELETE', path: one, respond: async (exchange) => answer(removed(stored, find(exchange))) },
      {
        method: 'GET',
        path: `${one}/input_items`,
        respond: async (exchange) => answer(listInputItems(find(exchange).input, exchange.query)),
      },
      ...unserved,
    ],
  };
}

/** The routes of OpenAI's API that this server does not need; each is refused with a message of its own. */
const unserved: readonly Route[] = (
  [
    [
      'POST',
      `${PATH}/{id}/cancel`,
      'cancels responses in the background, and this server has none: close the connection of a stream',
    ],
    ['POST', `${PATH}/compact`, 'is not served: ask the model for a summary, and continue that'],
    ['GET', PATH, 'opens a WebSocket, which is not served: send requests as POST, with stream=true for events'],
  ] as const
).map(([method, path, problem]) => ({
  method,
  path,
  respond: () => Promise.reject(new BadRequestError(`${method} ${path} ${problem}`, null, 'unsupported')),
}));

async function create(call: ModelCall, stored: StoredResponses): Promise<HttpAnswer | null> {
  const { reader, exchange } = call;
  const asked = await readResponseRequest(await exchange.body(), reader, stored, exchange.signal);
  listIgnored(exchange, asked.ignored);
  const request = await writtenChat(asked.chat, reader, exchange.signal);
  const { input, context, store } = asked;
  const writer = new ResponseWriter({
    request: asked,
    model: request.model,
    created: seconds(),
    *onEnd(id, response, output) {
      if (store) yield* stored.add({ id, response, input, context: [...context, ...output] });
    },
  });
  return answered(call, request, writer);
}

async function countTokens(served: ServedModels, stored: StoredResponses, exchange: Exchange): Promise<HttpAnswer> {
  const { reader } = generatorOf(served);
  const { chat, ignored } = await readResponseRequest(await exchange.body(), reader, stored, exchange.signal);
  listIgnored(exchange, ignored);
  const { length } = await promptIds(chat, reader, exchange.signal);
  return { status: 200, json: { object: 'response.input_tokens', input_tokens: length } };
}

function found(stored: StoredResponse | undefined, id: string): StoredResponse {
  if (stored !== undefined) return stored;
  throw new BadRequestError(
    `Response with id '${id}' not found; this server keeps only the newest stored responses`,
    null,
    'not_found',
  );
}

function retrieved({ response }: StoredResponse, { query }: Exchange): object {
  if (query.get('stream') !== 'true') return response;
  throw new BadRequestError(
    "'stream' of a stored response is not served: its events were sent once",
    'stream',
    'unsupported',
  );
}

function removed(stored: StoredResponses, { id }: StoredResponse): object {
  stored.delete(id);
  return { id, object: 'response', deleted: true };
}
