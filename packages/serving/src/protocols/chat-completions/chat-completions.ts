// Defines the routes of OpenAI's protocol of chats, POST /v1/chat/completions.
import { readChatMessages, readChatTools } from '@bowyer/conversations';
import { inTurns } from '../../http/turn.js';
import { callRoutes } from '../answer-exchange.js';
import { textFields } from '../completions/known-fields.js';
import { common, fieldTable, others, placesOf } from '../fields/field-table.js';
import { RequestFields } from '../fields/request-fields.js';
import { ChoiceAnswers } from '../openai/choice-answers.js';
import { openaiError } from '../openai/errors.js';
import type { ModelCalls, ProtocolUnit } from '../protocol.js';
import { seconds } from '../seconds.js';
import { ChatWriter } from './chat-writer.js';
import { chatFields, nestedChatFields } from './known-fields.js';
import { readChatRequest } from './read-chat-request.js';

const calls: ModelCalls = {
  name: 'chat-completions',
  paths: ['/v1/chat/completions'],
  errorBody: openaiError,
  async dialogue(body, signal) {
    const fields = new RequestFields(body, chatFields, '', []);
    const given = fields.objects('messages', nestedChatFields['messages[]']);
    const messages = await inTurns(readChatMessages(given, nestedChatFields), signal);
    return { messages, tools: readChatTools(fields, nestedChatFields) };
  },
  answer: (isStream, choices) => new ChoiceAnswers(isStream ? 'delta' : 'message', isStream ? choices : 1),
};

export const chatCompletions: ProtocolUnit = {
  calls,
  // The table also has the fields of /v1/completions, since most fields of the two protocols are the same.
  fieldTable: () =>
    fieldTable([
      ['both', common(chatFields, textFields)],
      ['chats', others(chatFields, textFields)],
      ['completions', others(textFields, chatFields)],
      ...placesOf(nestedChatFields),
    ]),
  serve: (served) => ({
    errorBody: openaiError,
    routes: callRoutes(served, calls, readChatRequest, (request) => new ChatWriter(request, seconds())),
  }),
};
