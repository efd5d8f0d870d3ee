// POST /v1/completions.
import { answered, generatorOf } from '../answer-exchange.js';
import { openaiError } from '../openai/errors.js';
import type { Protocol, ServedModels } from '../protocol.js';
import { seconds } from '../seconds.js';
import { readTextRequest } from './read-text-request.js';
import { TextWriter } from './text-writer.js';

export const completions = (served: ServedModels): Protocol => ({
  errorBody: openaiError,
  routes: [
    {
      method: 'POST',
      path: '/v1/completions',
      async respond(exchange) {
        const generator = generatorOf(served);
        const request = await readTextRequest(await exchange.body(), generator.reader, exchange.signal);
        return answered(generator, request, new TextWriter(request, seconds()), exchange);
      },
    },
  ],
});
