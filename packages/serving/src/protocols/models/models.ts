// Answers GET /v1/models with the served model and its adapters, for clients of OpenAI's and of Anthropic's protocol.
import { openaiError } from '../openai/errors.js';
import { unknownModel } from '../../generation/request-error.js';
import type { Protocol, ServedModels } from '../protocol.js';

interface Entry {
  id: string;
  /** The time when the server started or the adapter was loaded, in seconds since 1970. */
  created: number;
  /** vLLM's fields: the adapter's or base model's folder, and an adapter's base model. Absent on a server without adapters. */
  lineage?: { root: string; parent: string | null };
}

function entriesOf({ name, started, adapters }: ServedModels): Entry[] {
  if (!adapters) return [{ id: name, created: started }];
  const { registry, modelFolder } = adapters;
  return [
    { id: name, created: started, lineage: { root: modelFolder, parent: null } },
    ...registry.adapters.map((adapter) => ({
      id: adapter.name,
      created: Math.floor(adapter.loadedAt / 1000),
      lineage: { root: adapter.dir, parent: name },
    })),
  ];
}

/** `type`, `display_name` and `created_at` are Anthropic's fields; `max_model_len` is vLLM's. */
const shown = ({ id, created, lineage }: Entry, { contextLength }: ServedModels): object => ({
  id,
  object: 'model',
  created,
  owned_by: 'bowyer',
  ...lineage,
  max_model_len: contextLength,
  type: 'model',
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
});

export const models = (served: ServedModels): Protocol => ({
  errorBody: openaiError,
  isShared: true,
  routes: [
    {
      method: 'GET',
      path: '/v1/models',
      respond() {
        const entries = entriesOf(served);
        const [first_id, last_id] = [entries[0].id, entries.at(-1)!.id];
        const data = entries.map((entry) => shown(entry, served));
        return Promise.resolve({ status: 200, json: { object: 'list', data, has_more: false, first_id, last_id } });
      },
    },
    {
      method: 'GET',
      path: '/v1/models/{id}',
      respond({ parameters: { id } }) {
        const entries = entriesOf(served);
        const found = entries.find((entry) => entry.id === id);
        if (found) return Promise.resolve({ status: 200, json: shown(found, served) });
        const names = entries.map((entry) => entry.id);
        return Promise.reject(unknownModel(id, names));
      },
    },
  ],
});
