// Defines the routes of Anthropic's protocol of messages, POST /v1/messages and /v1/messages/count_tokens. The paths are also
// served without `/v1`, which some clients omit.
import { randomUUID } from 'node:crypto';
import { promptIds, writtenChat } from '../../generation/write-chat.js';
import type { HttpAnswer } from '../../http/http-listener.js';
import { answered, generatorOf, inCall, type ModelCall } from '../answer-exchange.js';
import { listIgnored } from '../fields/ignored-fields.js';
import type { Exchange, ModelCalls, ProtocolUnit, Route, ServedModels } from '../protocol.js';
import { dialogueOf, readerFor } from '../dialogue.js';
import { fieldTable, placesOf } from '../fields/field-table.js';
import { messagesError } from './errors.js';
import { messageFields, nestedMessageFields } from './known-fields.js';
import { MessageAnswer } from './message-answer.js';
import { MessageWriter } from './message-writer.js';
import { readMessageRequest } from './read-message-request.js';

const calls: ModelCalls = {
  name: 'messages',
  paths: ['/v1/messages'],
  errorBody: messagesError,
  keyHeader: 'x-api-key',
  dialogue: async (body, signal) => dialogueOf((await readMessageRequest(body, readerFor(body), signal, false)).chat),
  answer: () => new MessageAnswer(),
  isEnd: ({ type, delta }) =>
    type === 'message_stop' || Boolean((delta as { stop_reason?: unknown } | undefined)?.stop_reason),
};

export const messages: ProtocolUnit = {
  calls,
  fieldTable: () => fieldTable([['a request', messageFields], ...placesOf(nestedMessageFields)]),
  serve: (served) => ({
    errorBody: messagesError,
    headers: () => ({ 'request-id': `req_${randomUUID().replaceAll('-', '')}` }),
    routes: calls.paths.flatMap((path): Route[] => [
      { method: 'POST', path, respond: (exchange) => inCall(served, calls, exchange, create) },
      { method: 'POST', path: `${path}/count_tokens`, respond: (exchange) => countTokens(served, exchange) },
    ]),
  }),
};

async function create(call: ModelCall): Promise<HttpAnswer | null> {
  const { reader, exchange } = call;
  const { chat, omitsThinking, ignored } = await readMessageRequest(
    await exchange.body(),
    reader,
    exchange.signal,
    false,
  );
  listIgnored(exchange, ignored);
  const request = await writtenChat(chat, reader, exchange.signal);
  const writer = new MessageWriter({ request, asked: chat.maxTokens!, omitsThinking });
  return answered(call, request, writer);
}

async function countTokens(served: ServedModels, exchange: Exchange): Promise<HttpAnswer> {
  const { reader } = generatorOf(served);
  const { chat, ignored } = await readMessageRequest(await exchange.body(), reader, exchange.signal, true);
  listIgnored(exchange, ignored);
  return { status: 200, json: { input_tokens: (await promptIds(chat, reader, exchange.signal)).length } };
}
