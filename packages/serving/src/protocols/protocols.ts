// Lists the API protocols that every model server has; a server's option `protocols` can add others, such as Tinker's. To add a
// protocol, make a folder beside this file and a line in it: docs/extending/protocol.md.
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

/** The descriptions of the model calls of all protocols, for recorders and proxies. */
export const modelCalls: readonly ModelCalls[] = units.flatMap(({ calls }) => calls ?? []);

/** Writes the Markdown tables of docs/models/request-fields.md, in the order of the page. */
export const fieldTables = (): string[] => units.flatMap(({ fieldTable }) => fieldTable?.() ?? []);
