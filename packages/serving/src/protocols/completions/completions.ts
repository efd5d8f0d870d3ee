// The protocol of POST /v1/completions. Its fields are in the table of chats.
import { answered, inCall } from '../answer-exchange.js';
import { ChoiceAnswers } from '../openai/choice-answers.js';
import { openaiError } from '../openai/errors.js';
import type { ModelCalls, ProtocolUnit } from '../protocol.js';
import { seconds } from '../seconds.js';
import { readTextRequest } from './read-text-request.js';
import { TextWriter } from './text-writer.js';

const path = '/v1/completions';

const calls: ModelCalls = {
  name: 'completions',
  paths: [path],
  errorBody: openaiError,
  dialogue: () => Promise.resolve(null),
  answer: (isStream, choices) => new ChoiceAnswers('text', isStream ? choices : 1),
};

export const completions: ProtocolUnit = {
  calls,
  serve: (served) => ({
    errorBody: openaiError,
    routes: [
      {
        method: 'POST',
        path,
        respond: (exchange) =>
          inCall(served, calls, exchange, async (call) => {
            const request = await readTextRequest(await exchange.body(), call.reader, exchange.signal);
            return answered(call, request, new TextWriter(request, seconds()));
          }),
      },
    ],
  }),
};
