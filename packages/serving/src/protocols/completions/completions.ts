// Defines the routes of OpenAI's protocol of text completions, POST /v1/completions. Its request fields are documented in the
// table of chat-completions.ts.
import { callRoutes } from '../answer-exchange.js';
import { ChoiceAnswers } from '../openai/choice-answers.js';
import { openaiError } from '../openai/errors.js';
import type { ModelCalls, ProtocolUnit } from '../protocol.js';
import { seconds } from '../seconds.js';
import { readTextRequest } from './read-text-request.js';
import { TextWriter } from './text-writer.js';

const calls: ModelCalls = {
  name: 'completions',
  paths: ['/v1/completions'],
  errorBody: openaiError,
  dialogue: () => Promise.resolve(null),
  answer: (isStream, choices) => new ChoiceAnswers('text', isStream ? choices : 1),
};

export const completions: ProtocolUnit = {
  calls,
  serve: (served) => ({
    errorBody: openaiError,
    routes: callRoutes(served, calls, readTextRequest, (request) => new TextWriter(request, seconds())),
  }),
};
