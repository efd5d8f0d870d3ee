// POST /v1/chat/completions.
import { answered, generatorOf } from '../answer-exchange.js';
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
      async respond(exchange) {
        const generator = generatorOf(served);
        const request = await readChatRequest(await exchange.body(), generator.reader, exchange.signal);
        return answered(generator, request, new ChatWriter(request, seconds()), exchange);
      },
    },
  ],
});
