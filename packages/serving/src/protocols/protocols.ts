// The protocols that every model server speaks; a server's options may add others (`protocols`), such as Tinker's. A new
// protocol is a folder beside these and a line here: docs/extending/protocol.md.
import { adapters } from './adapters/adapters.js';
import { chatCompletions } from './chat-completions/chat-completions.js';
import { completions } from './completions/completions.js';
import { embeddings } from './embeddings/embeddings.js';
import { messages } from './messages/messages.js';
import { models } from './models/models.js';
import { responses } from './responses/responses.js';
import type { ModelCalls, Protocol, ProtocolUnit, ServedModels } from './protocol.js';

const units: readonly ProtocolUnit[] = [
  chatCompletions,
  completions,
  responses,
  messages,
  embeddings,
  { serve: models },
  { serve: adapters },
];

export const protocolsOf = (served: ServedModels): readonly Protocol[] => units.map(({ serve }) => serve(served));

/** The model calls of all protocols. */
export const modelCalls: readonly ModelCalls[] = units.flatMap(({ calls }) => calls ?? []);

/** Writes the tables of docs/models/request-fields.md, in its order. */
export const fieldTables = (): string[] => units.flatMap(({ fieldTable }) => fieldTable?.() ?? []);
