// The tables of docs/models/request-fields.md, made of the rules themselves.
import { chatFields, nestedChatFields } from './chat-completions/known-fields.js';
import { textFields } from './completions/known-fields.js';
import { embeddingFields } from './embeddings/known-fields.js';
import type { FieldRules } from './fields/field-rules.js';
import { common, fieldTable, others } from './fields/field-table.js';
import { messageFields, nestedMessageFields } from './messages/known-fields.js';
import { nestedResponseFields, responseFields } from './responses/known-fields.js';

/** By the protocol's name, as the page marks its table. */
export const fieldTables = (): Readonly<Record<string, string>> => ({
  openai: fieldTable([
    ['both', common(chatFields, textFields)],
    ['chats', others(chatFields, textFields)],
    ['completions', others(textFields, chatFields)],
    ...placesOf(nestedChatFields),
  ]),
  responses: fieldTable([['a request', responseFields], ...placesOf(nestedResponseFields)]),
  messages: fieldTable([['a request', messageFields], ...placesOf(nestedMessageFields)]),
  embeddings: fieldTable([['a request', embeddingFields]]),
});

const placesOf = (nested: Readonly<Record<string, FieldRules>>) =>
  Object.entries(nested).map(([place, rules]) => [`\`${place}\``, rules] as const);
