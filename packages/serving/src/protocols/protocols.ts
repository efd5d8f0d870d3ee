// The protocols that every model server speaks; a server's options may add others (`protocols`), as Tinker's. A further one is a folder
// beside these and a line here, and a name in call-observer.ts where its calls are observed.
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
