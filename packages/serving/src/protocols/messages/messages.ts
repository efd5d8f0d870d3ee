// POST /v1/messages and /v1/messages/count_tokens, as Anthropic's SDK writes them, and without the version, as others do.
import { randomUUID } from 'node:crypto';
import { promptIds, writtenChat } from '../../generation/write-chat.js';
import type { HttpAnswer } from '../../http/http-listener.js';
import { answered, generatorOf, inCall, type ModelCall } from '../answer-exchange.js';
import { listIgnored } from '../fields/ignored-fields.js';
import type { Exchange, Protocol, Route, ServedModels } from '../protocol.js';
import { messagesError } from './errors.js';
import { MessageWriter } from './message-writer.js';
import { readMessageRequest } from './read-message-request.js';

export const messages = (served: ServedModels): Protocol => {
  const routes = (prefix: string): Route[] => [
    { method: 'POST', path: `${prefix}/messages`, respond: (exchange) => inCall(served, 'messages', exchange, create) },
    { method: 'POST', path: `${prefix}/messages/count_tokens`, respond: (exchange) => countTokens(served, exchange) },
  ];
  return {
    errorBody: messagesError,
    headers: () => ({ 'request-id': `req_${randomUUID().replaceAll('-', '')}` }),
    routes: [...routes('/v1'), ...routes('')],
  };
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
