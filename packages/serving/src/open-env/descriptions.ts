// Writes the texts with which an OpenEnv server describes itself: the JSON schemas of actions, observations and states, its
// OpenAPI document, and its answer to MCP requests.
import { excerpt } from '../http/excerpt.js';
import { parseJson } from '../http/json-text.js';
import type { BodyError } from '../http/request-body.js';

const text = { type: 'string' } as const;
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }], default: null });
const metadata = { type: 'object', additionalProperties: true, default: {} } as const;

const record = (title: string, properties: object, required: readonly string[]) => ({
  title,
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

export const schemas = {
  action: record('TextAction', { metadata, message: { ...text, description: "The agent's text." } }, ['message']),
  observation: record(
    'TextObservation',
    {
      done: { type: 'boolean', default: false },
      reward: nullable({ type: 'number' }),
      metadata,
      text: { ...text, description: 'The text that the agent reads.' },
      is_history: { type: 'boolean', description: 'Whether the text is everything that was said so far.' },
      available_actions: {
        type: 'array',
        items: text,
        description: 'The valid actions, if the environment lists them.',
      },
      end_reason: {
        enum: ['success', 'failure', 'ended', 'turn_limit'],
        description: 'The reason why the last step ended the episode.',
      },
    },
    ['text'],
  ),
  state: {
    title: 'State',
    type: 'object',
    additionalProperties: true,
    properties: { episode_id: nullable(text), step_count: { type: 'integer', minimum: 0, default: 0 } },
  },
};

export const metadataOf = (name: string, description: string) => ({
  name,
  description,
  readme_content: null,
  version: '1.0.0',
  author: null,
  documentation_url: null,
});

const answered = { 200: { description: 'Successful Response' } };
const ROUTES = {
  '/reset': 'post',
  '/step': 'post',
  '/state': 'get',
  '/health': 'get',
  '/metadata': 'get',
  '/schema': 'get',
  '/mcp': 'post',
} as const;

/** OpenEnv's validators read `info.version` and the paths. */
export const openApi = (title: string) => ({
  openapi: '3.1.0',
  info: { title, version: '1.0.0' },
  paths: Object.fromEntries(
    Object.entries(ROUTES).map(([path, method]) => [path, { [method]: { responses: answered } }]),
  ),
});

/** Returns the answer to a JSON-RPC request of MCP. It lists no tools, since text environments have none. */
export const mcpAnswer = (body: string): Promise<object> =>
  parseJson(body).then(mcpAnswerTo, (error: BodyError) => rpcError(null, -32700, `Parse error: ${error.message}`));

export function mcpAnswerTo(request: unknown): object {
  const {
    jsonrpc,
    method,
    id: given,
  } = (typeof request === 'object' && request !== null ? request : {}) as Record<string, unknown>;
  const id = isShortId(given) ? given : null;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return rpcError(id, -32600, 'Invalid Request');
  if (method === 'tools/list' || method === 'tools/call')
    return rpcError(id, -32603, 'Environment does not support MCP');
  return rpcError(id, -32601, `Method not found: ${excerpt(method)}`);
}

const LONGEST_ID = 200;

/** Returns whether a value is a JSON-RPC id that is short enough to be sent back in the answer. */
const isShortId = (id: unknown) => typeof id === 'number' || (typeof id === 'string' && id.length <= LONGEST_ID);

const rpcError = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data: null },
});
