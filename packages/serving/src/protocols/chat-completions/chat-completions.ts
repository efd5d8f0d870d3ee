// POST /v1/chat/completions.
import { answered, inCall } from '../answer-exchange.js';
import { openaiError } from '../openai/errors.js';
import type { Protocol, ServedModels } from '../protocol.js';
import { seconds } from '../seconds.js';
import { ChatWriter } from './chat-writer.js';
import { readChatRequest } from './read-chat-request.js';

export const chatCompletions = (served: ServedModels): Protocol => ({
  errorBody: openaiError,
  routes: [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      respond: (exchange) =>
        inCall(served, 'chat-completions', exchange, async (call) => {
          const request = await readChatRequest(await exchange.body(), call.reader, exchange.signal);
          return answered(call, request, new ChatWriter(request, seconds()));
        }),
    },
  ],
});
