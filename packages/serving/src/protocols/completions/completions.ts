// POST /v1/completions.
import { answered, inCall } from '../answer-exchange.js';
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
      respond: (exchange) =>
        inCall(served, 'completions', exchange, async (call) => {
          const request = await readTextRequest(await exchange.body(), call.reader, exchange.signal);
          return answered(call, request, new TextWriter(request, seconds()));
        }),
    },
  ],
});
