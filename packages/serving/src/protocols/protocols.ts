// All protocols of the server: a further one is a folder beside these, and a line here.
import { adapters } from './adapters/adapters.js';
import { chatCompletions } from './chat-completions/chat-completions.js';
import { completions } from './completions/completions.js';
import { embeddings } from './embeddings/embeddings.js';
import { messages } from './messages/messages.js';
import { models } from './models/models.js';
import { responses } from './responses/responses.js';
import type { Protocol, ServedModels } from './protocol.js';

export const protocolsOf = (served: ServedModels): readonly Protocol[] =>
  [chatCompletions, completions, responses, messages, embeddings, models, adapters].map((protocol) => protocol(served));
